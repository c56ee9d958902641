import { AwsError, invalidParameter } from '../wire/errors.ts';
import { type Params, parts, text } from '../wire/form.ts';
import { itemSet, leaf, rememberLast } from '../wire/xml/xml.ts';

/** Tags of one resource. Never changed in place: machines of one launch share one object. */
export type Tags = ReadonlyMap<string, string>;

export const noTags: Tags = new Map();

const maxTags = 50;

/**
 * Reads `Tag.N.Key` and `Tag.N.Value`, with EC2's bounds: keys up to 128 characters, values up to 256, no key that
 * begins with `aws:`.
 */
export function readTags(params: Params): Tags {
  const tags = new Map<string, string>();
  for (const entry of parts(params, 'Tag')) {
    const key = text(entry, 'Key') ?? '';
    const value = text(entry, 'Value') ?? '';
    if (key === '' || key.length > 128)
      throw invalidParameter(`Tag key length must be between 1 and 128 characters: '${key}'`);
    if (value.length > 256)
      throw invalidParameter(`Tag value exceeds the maximum length of 256 characters for key '${key}'`);
    if (/^aws:/i.test(key)) throw invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    if (tags.has(key)) throw invalidParameter(`Duplicate tag key '${key}' specified.`);
    tags.set(key, value);
  }
  return checkCount(tags);
}

/** Reads `TagSpecification.N` by resource type. */
export function readTagSpecifications(params: Params): ReadonlyMap<string, Tags> {
  const byType = new Map<string, Tags>();
  for (const entry of parts(params, 'TagSpecification')) {
    const type = text(entry, 'ResourceType') ?? '';
    if (type === '') throw invalidParameter('The resource type of a tag specification must be given.');
    if (byType.has(type)) throw invalidParameter(`Duplicate resource type '${type}' in the tag specifications.`);
    byType.set(type, readTags(entry));
  }
  return byType;
}

/** Merges tags; `over` wins. Throws above the limit of 50. */
export function mergeTags(base: Tags, over: Tags): Tags {
  if (over.size === 0) return base;
  if (base.size === 0) return over;
  return checkCount(new Map([...base, ...over]));
}

/** `<tagSet>` of a resource. */
export const tagSetXml = rememberLast((tags: Tags) =>
  itemSet('tagSet', tags, ([key, value]) => leaf('key', key) + leaf('value', value)),
);

function checkCount(tags: Tags): Tags {
  const own = [...tags.keys()].filter((key) => !key.startsWith('aws:')).length;
  if (own > maxTags) throw new AwsError('TagLimitExceeded', `The maximum number of tags for a resource is ${maxTags}`);
  return tags;
}
