import type { StoredOrder } from '../../model/attempt.ts';
import { sortedTags, type Tags } from '../../model/budget/reserved.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Template } from '../../model/template.ts';

/** The tag with the name of a machine, of a request with names. */
export const nameTag = 'muster:name';

/** The longest tag value that clouds accept. */
const longest = 256;

/**
 * The tags of an order besides those of the template: the `additional_data_tags` of the template, or of the defaults
 * of the instance, with values from the request's `additional_data`, overridden by the tags of the request. Pure.
 */
export function machineTags(
  { additional_data_tags = [] }: Template,
  { additional_data = {}, tags }: Pick<RequestRecord, 'additional_data' | 'tags'>,
): Record<string, string> {
  const taken = additional_data_tags.flatMap((key): [string, string][] => {
    const value = Object.hasOwn(additional_data, key) ? additional_data[key] : undefined;
    if (value === undefined || value === null) return [];
    return [[key, (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, longest)]];
  });
  return { ...Object.fromEntries(taken), ...tags };
}

/** All tags of the machines that a request gets by a template, besides their names. Pure. */
export const tagsBy = (template: Template, request: Pick<RequestRecord, 'additional_data' | 'tags'>): Tags => ({
  ...template.tags,
  ...machineTags(template, request),
});

/**
 * The tags that the machines of a request have wherever they come from. The defaults of an instance and a variant may
 * give others there, see `tagsOfOrder`.
 */
export const tagsOfRequest = (request: Pick<RequestRecord, 'template' | 'additional_data' | 'tags'>): Tags =>
  request.template ? tagsBy(request.template, request) : {};

/** All tags of the machines of an order, besides their names. */
export function tagsOfOrder({ template, tags }: Pick<StoredOrder, 'template' | 'tags'>): Tags {
  const { [nameTag]: _name, ...own } = tags;
  return { ...template.tags, ...own };
}

/**
 * Of orders of a request: the tags of their machines where they are others than those of the request. Undefined: they
 * are the same, or there is no order.
 */
export function ownTagsOfOrders(request: RequestRecord): (order: StoredOrder | undefined) => Tags | undefined {
  const usual = JSON.stringify(sortedTags(tagsOfRequest(request)));
  const known = new Map<StoredOrder, Tags | undefined>();
  return (order) => {
    if (!order) return undefined;
    if (!known.has(order)) {
      const tags = sortedTags(tagsOfOrder(order));
      known.set(order, JSON.stringify(tags) === usual ? undefined : tags);
    }
    return known.get(order);
  };
}
