import type { Finding, LaunchOrder } from '../../../core/index.ts';

/** Tags that muster sets on every resource that it creates, and by which it finds its machines. */
export const ownTags = {
  request: 'muster:request-id',
  attempt: 'muster:attempt',
  installation: 'muster:installation',
  name: 'muster:name',
} as const;

/** The tag with the id of the machine; the name is that of HostFactory's AWS provider. */
export const ownIdTag = 'InstanceID';

/** The tag by which EC2 says which fleet started a machine. */
export const fleetIdTag = 'aws:ec2:fleet-id';

export interface Tag {
  readonly Key: string;
  readonly Value: string;
}

export interface TagSpecification {
  readonly ResourceType: string;
  readonly Tags: readonly Tag[];
}

/** The limits of EC2 for the tags of a resource. */
const limits = { count: 50, key: 128, value: 256 };

/** Tags of one order: those of the template, then of the order, then of muster, which cannot be overridden. */
export function tagsOf(
  order: Pick<LaunchOrder, 'request_id' | 'attempt' | 'tags' | 'template'>,
  installation: string,
): Tag[] {
  const tags = {
    ...order.template.tags,
    ...order.tags,
    [ownTags.request]: order.request_id,
    [ownTags.attempt]: String(order.attempt),
    [ownTags.installation]: installation,
  };
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/**
 * One specification for each resource type. Every resource is tagged in the call that creates it: a later call might
 * not find the resource yet. `spot-instances-request` must not be among the types: it makes the on-demand part of a
 * fleet fail.
 */
export function tagSpecifications(types: readonly string[], tags: readonly Tag[]): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: tags }));
}

/**
 * Joins the tags of a native specification with those of muster: the resource types of both, and the value of muster
 * for a tag in both.
 */
export function joinTagSpecifications(given: unknown, ours: readonly TagSpecification[]): TagSpecification[] {
  const joined = new Map(ours.map((each) => [each.ResourceType, each]));
  for (const each of Array.isArray(given) ? (given as Partial<TagSpecification>[]) : []) {
    if (
      each.ResourceType === undefined ||
      each.ResourceType === null ||
      each.ResourceType === 'spot-instances-request'
    )
      continue;
    const own = joined.get(each.ResourceType)?.Tags ?? [];
    const more = (each.Tags ?? []).filter((tag) => !own.some((mine) => mine.Key === tag.Key));
    joined.set(each.ResourceType, { ResourceType: each.ResourceType, Tags: [...more, ...own] });
  }
  return [...joined.values()];
}

/** The value of one tag; undefined when there is no such tag. */
export function tagValue(
  tags: readonly { Key?: string | undefined; Value?: string | undefined }[] | undefined,
  key: string,
): string | undefined {
  return tags?.find((tag) => tag.Key === key)?.Value;
}

/** The order for which a resource was created, by its tags. */
export function madeFor(tags: Parameters<typeof tagValue>[0]): { request_id?: string; attempt?: number } {
  const request_id = tagValue(tags, ownTags.request);
  const attempt = Number(tagValue(tags, ownTags.attempt));
  return { ...(request_id === undefined ? {} : { request_id }), ...(Number.isInteger(attempt) ? { attempt } : {}) };
}

/** Reports what EC2 would refuse in the tags of a template. */
export function reviewTags(tags: Readonly<Record<string, string>> = {}): Finding[] {
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  // Tags of muster need the rest.
  const maxTags = limits.count - Object.keys(ownTags).length;
  if (Object.keys(tags).length > maxTags) error('/tags', `must not have more than ${maxTags} tags`);
  for (const [key, value] of Object.entries(tags)) {
    const path = `/tags/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (/^aws:/i.test(key)) error(path, 'must not begin with `aws:`, which the cloud reserves for itself');
    if (key.startsWith('muster:')) error(path, 'must not begin with `muster:`, which muster reserves for itself');
    if (key.length === 0 || key.length > limits.key) error(path, `must have a name of 1 to ${limits.key} characters`);
    if (value.length > limits.value) error(path, `must not be longer than ${limits.value} characters`);
  }
  return findings;
}
