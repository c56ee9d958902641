import type { GroupTag } from '../state/groups.ts';
import { readTags } from '../state/tags.ts';
import { AwsError } from '../wire/errors.ts';
import { type Params } from '../wire/form.ts';
import { flag } from '../wire/values.ts';

const maxTags = 50;

/** The tags of a group after `entries` (`Tags.member.N`) are merged into its present tags. */
export function readGroupTags(entries: readonly Params[], has: ReadonlyMap<string, GroupTag>): Map<string, GroupTag> {
  const values = readTags({ Tag: Object.fromEntries(entries.map((entry, index) => [index + 1, entry])) });
  const propagate = new Map(entries.map((entry) => [entry['Key'], flag(entry, 'PropagateAtLaunch') ?? false]));
  const tags = new Map(has);
  for (const [key, value] of values) tags.set(key, { value, propagate: propagate.get(key) ?? false });
  if (tags.size > maxTags) throw new AwsError('LimitExceeded', `A group can have at most ${maxTags} tags.`);
  return tags;
}
