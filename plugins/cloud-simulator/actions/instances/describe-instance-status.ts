import type { Action, ActionCall } from '../../dispatch/action.ts';
import { type Check, type InstanceHealth, healthOf } from '../../state/instances/health.ts';
import { type Instance, stateCodes, stateOf } from '../../state/instances/instance.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { stateXml } from '../../wire/xml/instance-xml.ts';
import { pageRequest } from '../../wire/pages.ts';
import { flag } from '../../wire/values.ts';
import { itemSet, leaf, nextTokenXml, node, timestamp } from '../../wire/xml/xml.ts';
import { lagging } from './instance-ids.ts';
import { chosen } from './describe-instances.ts';
import { zoneGuard } from './zone-guard.ts';

const maxIds = 100;

/** A machine with its health, which filters and answer both need. */
interface Row {
  readonly instance: Instance;
  readonly health: InstanceHealth;
}

/** Shows the health of machines: of the running ones, or of all with IncludeAllInstances. */
export const describeInstanceStatus: Action = {
  name: 'DescribeInstanceStatus',
  mutating: false,
  handle(call) {
    const shown = lagging(call);
    const { now } = shown;
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'InstanceId' });
    if (texts(call.params, 'InstanceId').length > maxIds)
      throw invalidParameter(`You can name at most ${maxIds} instance IDs.`);
    const all = flag(call.params, 'IncludeAllInstances') ?? false;
    const fields = statusFields(shown);
    const filters = readFilters(call.params, fields, false);
    const guard = zoneGuard(call, filters);

    const found: Row[] = [];
    let more = false;
    for (const instance of chosen(call, filters, page.after)) {
      if (!all && stateOf(instance, now) !== 'running') continue;
      const row = { instance, health: healthOf(shown, instance) };
      if (!passes(row, filters, fields)) continue;
      guard(instance);
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(row);
    }
    return (
      itemSet('instanceStatusSet', found, (row) => statusXml(row, now)) +
      nextTokenXml(more ? page.token((found.at(-1) as Row).instance.place) : undefined)
    );
  },
};

function statusFields(call: ActionCall): FilterFields<Row> {
  const { now, state } = call;
  const zoneIds = new Map(state.network.catalogue.zones.map((zone) => [zone.zone, zone.zone_id]));
  const iso = (at: number | undefined) => (at === undefined ? [] : [new Date(at).toISOString()]);
  return {
    'application-status.status': () => undefined,
    'attached-ebs-status.status': ({ health }) => health.ebs,
    'availability-zone': ({ instance }) => instance.zone,
    'availability-zone-id': ({ instance }) => zoneIds.get(instance.zone),
    'event.code': ({ health }) => health.events.map((event) => event.code),
    'event.description': ({ health }) => health.events.map((event) => event.description),
    'event.instance-event-id': ({ health }) => health.events.map((event) => event.id),
    'event.not-after': ({ health }) => health.events.flatMap((event) => iso(event.notAfter)),
    'event.not-before': ({ health }) => health.events.flatMap((event) => iso(event.notBefore)),
    'event.not-before-deadline': () => undefined,
    'instance-state-code': ({ instance }) => String(stateCodes[stateOf(instance, now)]),
    'instance-state-name': ({ instance }) => stateOf(instance, now),
    'instance-status.reachability': ({ health }) => reachability[health.instance],
    'instance-status.status': ({ health }) => health.instance,
    'operator.managed': () => 'false',
    'operator.principal': () => undefined,
    'system-status.reachability': ({ health }) => reachability[health.system],
    'system-status.status': ({ health }) => health.system,
  };
}

/** The detail of each check result. A machine that is not checked has no details. */
const reachability: Readonly<Record<Check, string | undefined>> = {
  ok: 'passed',
  impaired: 'failed',
  'insufficient-data': 'insufficient-data',
  initializing: 'initializing',
  'not-applicable': undefined,
};

function statusXml({ instance, health }: Row, now: number): string {
  const events =
    health.events.length === 0
      ? ''
      : itemSet(
          'eventsSet',
          health.events,
          (event) =>
            leaf('instanceEventId', event.id) +
            leaf('code', event.code) +
            leaf('description', event.description) +
            timestamp('notBefore', event.notBefore) +
            (event.notAfter === undefined ? '' : timestamp('notAfter', event.notAfter)),
        );
  return (
    leaf('instanceId', instance.id) +
    leaf('availabilityZone', instance.zone) +
    events +
    stateXml('instanceState', stateOf(instance, now)) +
    checkXml('systemStatus', health.system, health.impairedSince) +
    checkXml('instanceStatus', health.instance, health.impairedSince) +
    checkXml('attachedEbsStatus', health.ebs, health.impairedSince)
  );
}

function checkXml(name: string, check: Check, impairedSince: number | undefined): string {
  const result = reachability[check];
  if (result === undefined) return node(name, leaf('status', check));
  const since = check === 'impaired' && impairedSince !== undefined ? timestamp('impairedSince', impairedSince) : '';
  return node(
    name,
    leaf('status', check) +
      node('details', node('item', leaf('name', 'reachability') + leaf('status', result) + since)),
  );
}
