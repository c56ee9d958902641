import type { Action, ActionCall } from '../../dispatch/action.ts';
import { isTemplateVisible } from '../../launch/specification/template-data.ts';
import { stateOf } from '../../state/instances/instance.ts';
import { type MachinePart, partsOf } from '../../state/instances/part-tags.ts';
import type { Tags } from '../../state/tags.ts';
import { type Filter, type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';
import { findFleet } from '../fleets/fleet-ids.ts';
import { isSeen, isVisible } from '../instances/instance-ids.ts';

interface TagRow {
  readonly id: string;
  readonly type: 'instance' | MachinePart['kind'] | 'fleet' | 'spot-fleet-request' | 'launch-template';
  readonly key: string;
  readonly value: string;
  readonly tags: Tags;
}

const fields: FilterFields<TagRow> = {
  key: (row) => row.key,
  'resource-id': (row) => row.id,
  'resource-type': (row) => row.type,
  value: (row) => row.value,
};

/** Shows the tags of machines and their parts, fleets and launch templates, one row for each. */
export const describeTags: Action = {
  name: 'DescribeTags',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000 });
    const filters = readFilters(call.params, fields, true);
    const found: TagRow[] = [];
    let place = -1;
    let next: string | undefined;
    for (const row of rows(call, filters)) {
      if (!passes(row, filters, fields, (one) => one.tags)) continue;
      place++;
      if (place <= page.after) continue;
      if (found.length === page.size) {
        next = page.token(place - 1);
        break;
      }
      found.push(row);
    }
    return (
      itemSet(
        'tagSet',
        found,
        (row) =>
          leaf('key', row.key) +
          leaf('resourceId', row.id) +
          leaf('resourceType', row.type) +
          leaf('value', row.value),
      ) + nextTokenXml(next)
    );
  },
};

function* rows(call: ActionCall, filters: readonly Filter[]): Iterable<TagRow> {
  const { instances, fleets, templates } = call.state;
  const named = filters.find((filter) => filter.name === 'resource-id' && filter.exact)?.values;
  const machines = named === undefined ? instances : named.flatMap((id) => instances.get(id) ?? []);
  for (const instance of machines) {
    if (isSeen(call, instance, 'tag')) yield* rowsOf(instance.id, 'instance', instance.tags);
  }
  for (const instance of instances) {
    if (!isVisible(call, instance, 'tag')) continue;
    const parts = partsOf(call.state, instance, stateOf(instance, call.now) !== 'terminated');
    for (const { id, kind, tags } of parts) if (tags.size > 0) yield* rowsOf(id, kind, tags);
  }
  for (const open of call.state.openSpotRequests.values()) yield* rowsOf(open.id, 'spot-instances-request', open.tags);
  for (const fleet of fleets.values())
    if (findFleet(call, fleet.id))
      yield* rowsOf(fleet.id, fleet.kind === 'spot' ? 'spot-fleet-request' : 'fleet', fleet.tags);
  for (const template of templates.byId.values())
    if (isTemplateVisible(call, template)) yield* rowsOf(template.id, 'launch-template', template.tags);
}

function* rowsOf(id: string, type: TagRow['type'], tags: Tags): Iterable<TagRow> {
  for (const [key, value] of tags) yield { id, type, key, value, tags };
}
