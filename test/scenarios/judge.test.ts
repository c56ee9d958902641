import test from 'ava';
import type { Instance } from '../../plugins/cloud-simulator/state/instances/instance.ts';
import { attemptOf, machineOf, requestOf } from '../support/records.ts';
import { cells } from './cells.ts';
import { judge } from './judge.ts';
import type { Outcome } from './outcome.ts';
import { settingOf } from './settings.ts';

const instance = (id: string, fields: object = {}): Instance =>
  ({
    id,
    tags: new Map([['muster:attempt', '1']]),
    shutdownAt: undefined,
    reason: undefined,
    ...fields,
  }) as unknown as Instance;
const userEnded = { shutdownAt: 1, reason: { code: 'Client.UserInitiatedShutdown', message: '' } };

/** Two machines were asked for, and came. */
function outcomeOf(fields: Partial<Outcome> = {}): Outcome {
  const order = { machine_count: 2, template: { template_id: 'small' }, tags: {} };
  const request = requestOf({
    status: 'completed',
    machine_count: 2,
    delivered: 2,
    fulfilment: { requested: 2, delivered: 2, final: true, shortfall: [] },
  });
  return {
    cell: cells.find(({ story }) => story.name === 'provision') as Outcome['cell'],
    setting: settingOf('calm'),
    request,
    attempts: [attemptOf(1, { state: 'launched', settled: true, order, handle: { fleet_id: 'fleet-1' } })],
    machines: ['i-1', 'i-2'].map((machine_id) => machineOf(machine_id, { status: 'running', ready_at: 1 })),
    told: { running: ['i-2', 'i-1'] },
    history: ['pending', 'in_progress', 'completed'],
    started: [instance('i-1'), instance('i-2')],
    live: ['i-1', 'i-2'],
    places: 2,
    ledger: {
      live: {},
      untagged: [],
      launches: {},
      fleets: ['fleet-1'],
      spot_fleets: [],
      groups: [],
      templates: [],
      machine_seconds: 0,
    },
    ...fields,
  };
}

const wrong: Readonly<Record<string, (right: Outcome) => Partial<Outcome>>> = {
  'a machine too many': () => ({ live: ['i-1', 'i-2', 'i-3'] }),
  'a machine too few': () => ({ live: ['i-1'] }),
  'a machine that is told as pending': ({ told }) => ({ told: { ...told, pending: ['i-9'] } }),
  'a request that does not end': ({ request }) => ({ request: { ...request, status: 'in_progress' } }),
  'a status that changes after the end': () => ({ history: ['in_progress', 'completed', 'failed'] }),
  'a launch that was doubled and taken back': ({ started }) => ({
    started: [...started, instance('i-3', userEnded)],
    attempts: [attemptOf(1, { state: 'launched', settled: true, incoming: 0 })],
  }),
  'an end that nobody wanted': ({ started: [first] }) => ({
    started: [first as Instance, instance('i-2', userEnded)],
  }),
  'a count of machines that did not come': ({ request }) => ({ request: { ...request, delivered: 3 } }),
  'a shortfall without a reason': ({ request, machines: [first] }) => ({
    request: { ...request, delivered: 1, fulfilment: { requested: 2, delivered: 1, final: true, shortfall: [] } },
    machines: first ? [first] : [],
    live: ['i-1'],
    told: { running: ['i-1'] },
    places: 1,
  }),
  'fewer machines than there are places': ({ request, machines: [first] }) => {
    const shortfall = [{ kind: 'capacity' as const, code: 'X', message: 'x' }];
    return {
      request: { ...request, delivered: 1, fulfilment: { requested: 2, delivered: 1, final: true, shortfall } },
      machines: first ? [first] : [],
      live: ['i-1'],
      told: { running: ['i-1'] },
    };
  },
  'a fleet that outlives its machines': ({ machines, started }) => ({
    machines: machines.map(
      (machine) => ({ ...machine, status: 'terminated', going: 'returned', gone_at: 2 }) as const,
    ),
    started: started.map(({ id }) => instance(id, userEnded)),
    live: [],
    told: { terminated: ['i-1', 'i-2'] },
  }),
};

test('nothing is wrong with a request that has what it asked for', (t) => {
  t.deepEqual(judge(outcomeOf()), []);
});

for (const [what, change] of Object.entries(wrong)) {
  test(`the judge finds ${what}`, (t) => {
    const right = outcomeOf();
    t.not(judge({ ...right, ...change(right) }).length, 0);
  });
}

test('what the cloud takes away may be replaced, and nothing else', (t) => {
  const right = outcomeOf();
  const lost = { shutdownAt: 1, reason: { code: 'Server.SpotInstanceTermination', message: '' } };
  t.deepEqual(judge({ ...right, started: [...right.started, instance('i-0', lost)] }), []);
});
