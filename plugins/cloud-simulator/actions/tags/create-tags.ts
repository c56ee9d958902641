import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { mergeTags, readTags } from '../../state/tags.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { taggedResource } from './tagged-resource.ts';

/** Number of resources that a call can name. */
export const maxResources = 1000;

/**
 * Adds tags to machines, their volumes, interfaces and Spot requests, fleets and launch templates, or replaces their
 * values: on all resources, or on none if one is unknown.
 */
export const createTags: Action = {
  name: 'CreateTags',
  mutating: true,
  handle(call) {
    const ids = [...new Set(texts(call.params, 'ResourceId'))];
    if (ids.length === 0) throw missingParameter('ResourceId');
    if (ids.length > maxResources)
      throw invalidParameter(`You can tag at most ${maxResources} resources in one call.`);
    const tags = readTags(call.params);
    if (tags.size === 0) throw missingParameter('Tag');
    // Every resource is found, and its tags are counted, before the first change.
    const changes = ids.map((id) => {
      const resource = taggedResource(call, id);
      const merged = mergeTags(resource.tags, tags);
      return () => resource.retag(merged);
    });
    endDryRun(call);
    for (const change of changes) change();
    call.touched.push(...ids);
    return leaf('return', true);
  },
};
