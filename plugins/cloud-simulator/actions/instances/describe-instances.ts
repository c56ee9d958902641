import type { Action, ActionCall } from '../../dispatch/action.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { type Filter, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { instanceXml } from '../../wire/xml/instance-xml.ts';
import { pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, node } from '../../wire/xml/xml.ts';
import { instancesById, isSeen, lagging } from './instance-ids.ts';
import { candidates, instanceFields } from './instance-filters.ts';
import { zoneGuard } from './zone-guard.ts';

/** Shows machines by id, by filters, or all, in order of launch. A page counts machines, not reservations. */
export const describeInstances: Action = {
  name: 'DescribeInstances',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'InstanceId' });
    const maxIds = call.knobs.limits.ids;
    if (texts(call.params, 'InstanceId').length > maxIds)
      throw invalidParameter(`You can name at most ${maxIds} instance IDs in one call.`);
    const shown = lagging(call);
    const fields = instanceFields(shown);
    const filters = readFilters(call.params, fields, true);
    const guard = zoneGuard(call, filters);

    const found: Instance[] = [];
    let more = false;
    for (const instance of chosen(call, filters, page.after)) {
      if (!passes(instance, filters, fields, (one) => one.tags)) continue;
      guard(instance);
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(instance);
    }
    return (
      reservationSetXml(shown, found) + nextTokenXml(more ? page.token((found.at(-1) as Instance).place) : undefined)
    );
  },
};

/** The candidate machines of a reading call: those that it names, or the visible machines that an index returns. */
export function chosen(call: ActionCall, filters: readonly Filter[], after: number): Iterable<Instance> {
  const ids = texts(call.params, 'InstanceId');
  if (ids.length > 0) return instancesById(call, ids, isSeen);
  const way = filters.some((filter) => filter.name.startsWith('tag')) ? 'tag' : 'filter';
  return seen(call, candidates(call.state.instances, filters, after), way);
}

function* seen(call: ActionCall, instances: Iterable<Instance>, way: 'filter' | 'tag'): Iterable<Instance> {
  for (const instance of instances) if (isSeen(call, instance, way)) yield instance;
}

function reservationSetXml(call: ActionCall, instances: readonly Instance[]): string {
  const { account } = call.state;
  const byReservation = Map.groupBy(instances, (instance) => instance.reservation.id);
  return itemSet(
    'reservationSet',
    byReservation,
    ([id, members]) =>
      leaf('reservationId', id) +
      leaf('ownerId', account) +
      '<groupSet/>' +
      node(
        'instancesSet',
        members.map((instance) => `<item>${instanceXml(instance, call.state, call.now)}</item>`).join(''),
      ),
  );
}
