import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import type { Tags } from '../../state/tags.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, parts, text, texts } from '../../wire/form.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { maxResources } from './create-tags.ts';
import { taggedResource } from './tagged-resource.ts';

/**
 * Removes tags from resources: those of a key, with a value only tags that have it, and all tags if the call names
 * none. Tags that AWS itself set stay. A tag that a resource does not have is no error.
 */
export const deleteTags: Action = {
  name: 'DeleteTags',
  mutating: true,
  handle(call) {
    const ids = [...new Set(texts(call.params, 'ResourceId'))];
    if (ids.length === 0) throw missingParameter('ResourceId');
    if (ids.length > maxResources)
      throw invalidParameter(`You can untag at most ${maxResources} resources in one call.`);
    const unwanted = parts(call.params, 'Tag');
    const reserved = unwanted.map((tag) => text(tag, 'Key') ?? '').find((key) => /^aws:/i.test(key));
    if (reserved !== undefined) throw invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    const resources = ids.map((id) => taggedResource(call, id));
    endDryRun(call);
    for (const resource of resources) resource.retag(without(resource.tags, unwanted));
    call.touched.push(...ids);
    return leaf('return', true);
  },
};

function without(tags: Tags, unwanted: readonly Params[]): Tags {
  const goes = (key: string, value: string) =>
    !key.startsWith('aws:') &&
    (unwanted.length === 0 ||
      unwanted.some((tag) => text(tag, 'Key') === key && (text(tag, 'Value') ?? value) === value));
  return new Map([...tags].filter(([key, value]) => !goes(key, value)));
}
