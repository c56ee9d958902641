import test from 'ava';
import { actionNames, machineActions } from '../../../plugins/cloud-simulator/actions/action-names.ts';
import { actions } from '../../../plugins/cloud-simulator/actions/index.ts';
import { protocolOf } from '../../../plugins/cloud-simulator/wire/protocols.ts';

test('the table of names holds every action under its service, and nothing else', (t) => {
  for (const [service, names] of Object.entries(actionNames)) {
    const made = actions.filter(({ version }) => protocolOf(version).service === service).map(({ name }) => name);
    t.deepEqual(made.toSorted(), [...names].toSorted(), service);
  }
  t.is(actions.length, Object.values(actionNames).flat().length);
});

test('actions that ask for machines stand in the table of those that draw from a bucket of machines', (t) => {
  const asking = actions.filter(({ resources }) => resources !== undefined).map(({ name }) => name);
  t.deepEqual(asking.toSorted(), [...machineActions].toSorted());
});
