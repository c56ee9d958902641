import type { Action, ActionCall } from '../../dispatch/action.ts';
import { mergeTags, readTags, type Tags } from '../../state/tags.ts';
import { templateById } from '../../launch/specification/template-data.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { findFleet } from '../fleets/fleet-ids.ts';
import { instancesById } from '../instances/instance-ids.ts';

const maxResources = 1000;

/**
 * Adds tags to machines, fleets and launch templates, or replaces their values: on all resources, or on none if one
 * is unknown.
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
    const changes = ids.map((id) => planRetag(call, id, tags));
    for (const change of changes) change();
    call.touched.push(...ids);
    return leaf('return', true);
  },
};

function planRetag(call: ActionCall, id: string, tags: Tags): () => void {
  const { state } = call;
  if (id.startsWith('i-')) {
    const [instance] = instancesById(call, [id]);
    if (instance === undefined) throw unknownResource(id);
    const merged = mergeTags(instance.tags, tags);
    return () => state.instances.retag(instance, merged);
  }
  const resource = id.startsWith('lt-') ? templateById(call, id) : findFleet(call, id);
  if (resource === undefined) throw unknownResource(id);
  const merged = mergeTags(resource.tags, tags);
  return () => void (resource.tags = merged);
}

function unknownResource(id: string): AwsError {
  return new AwsError('InvalidID', `The ID '${id}' is not valid`);
}
