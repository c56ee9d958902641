import type { Action } from '../../action.ts';
import { type Instance, stateCodes, type StateName, stateOf } from '../../state/instance.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { stateXml } from '../../wire/instance-xml.ts';
import { pageRequest } from '../../wire/pages.ts';
import { flag } from '../../wire/values.ts';
import { itemSet, leaf, nextTokenXml, node } from '../../wire/xml.ts';
import { chosen } from './describe-instances.ts';

const maxIds = 100;

/** Shows the health of machines: of the running ones, or of all with IncludeAllInstances. */
export const describeInstanceStatus: Action = {
  name: 'DescribeInstanceStatus',
  mutating: false,
  handle(call) {
    const { now } = call;
    const page = pageRequest(call.params, { min: 5, max: 1000, notWith: 'InstanceId' });
    if (texts(call.params, 'InstanceId').length > maxIds) throw invalidParameter(`You can name at most ${maxIds} instance IDs.`);
    const all = flag(call.params, 'IncludeAllInstances') ?? false;
    const fields = statusFields(now);
    const filters = readFilters(call.params, fields, false);

    const found: Instance[] = [];
    let more = false;
    for (const instance of chosen(call, filters, page.after)) {
      if (!all && stateOf(instance, now) !== 'running') continue;
      if (!passes(instance, filters, fields)) continue;
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(instance);
    }
    return (
      itemSet('instanceStatusSet', found, (instance) => statusXml(instance, now)) +
      nextTokenXml(more ? page.token((found.at(-1) as Instance).place) : undefined)
    );
  },
};

function statusFields(now: number): FilterFields<Instance> {
  return {
    'availability-zone': (i) => i.zone,
    'instance-state-code': (i) => String(stateCodes[stateOf(i, now)]),
    'instance-state-name': (i) => stateOf(i, now),
    'instance-status.status': (i) => healthOf(stateOf(i, now)),
    'system-status.status': (i) => healthOf(stateOf(i, now)),
  };
}

function healthOf(state: StateName): string {
  return state === 'running' ? 'ok' : 'not-applicable';
}

function statusXml(instance: Instance, now: number): string {
  const state = stateOf(instance, now);
  const details = state === 'running' ? '<details><item><name>reachability</name><status>passed</status></item></details>' : '';
  const health = leaf('status', healthOf(state)) + details;
  return (
    leaf('instanceId', instance.id) +
    leaf('availabilityZone', instance.zone) +
    stateXml('instanceState', state) +
    node('systemStatus', health) +
    node('instanceStatus', health)
  );
}
