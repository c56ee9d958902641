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

interface Known {
  readonly tags: RequestRecord['tags'];
  readonly additional_data: RequestRecord['additional_data'];
  readonly found: Tags;
}
// The reservation of a request is derived with each of its commits, which share the objects in it.
const known = new WeakMap<Template, Known>();

/**
 * The usual tags of the machines of a request: those by its own template. The defaults of an instance and a variant
 * may give others there, see `tagsOfOrder`. Pure.
 */
export function tagsOfRequest(request: Pick<RequestRecord, 'template' | 'additional_data' | 'tags'>): Tags {
  const { template, tags, additional_data } = request;
  if (!template) return {};
  const before = known.get(template);
  if (before && before.tags === tags && before.additional_data === additional_data) return before.found;
  const found = tagsBy(template, request);
  known.set(template, { tags, additional_data, found });
  return found;
}

/** All tags of the machines of an order, besides their names. Pure. */
export function tagsOfOrder({ template, tags }: Pick<StoredOrder, 'template' | 'tags'>): Tags {
  const { [nameTag]: _name, ...own } = tags;
  return { ...template.tags, ...own };
}

/** Tags that are not the usual ones of a request. */
export interface OwnTags {
  readonly tags: Tags;
  /** Equal for equal tags. */
  readonly text: string;
}

/** The tags as own ones; undefined where they are the usual ones of the request. */
export function ownTags(tags: Tags, request: Parameters<typeof tagsOfRequest>[0]): OwnTags | undefined {
  const usual = tagsOfRequest(request);
  if (tags === usual) return undefined;
  const text = JSON.stringify(sortedTags(tags));
  return text === JSON.stringify(sortedTags(usual)) ? undefined : { tags: sortedTags(tags), text };
}

// An order does not change, nor do the usual tags of its request.
const ofOrders = new WeakMap<StoredOrder, OwnTags | undefined>();

/** The tags of the machines of an order, where they are not the usual ones of the request. */
export function ownTagsOfOrder(order: StoredOrder, request: RequestRecord): OwnTags | undefined {
  if (!ofOrders.has(order)) ofOrders.set(order, ownTags(tagsOfOrder(order), request));
  return ofOrders.get(order);
}
