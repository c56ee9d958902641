import type { ActionCall } from '../../dispatch/action.ts';
import { text, texts } from '../../wire/form.ts';
import { AwsError } from '../../wire/errors.ts';
import { taggedResource } from './tagged-resource.ts';

/**
 * Whether a call is about a resource without this tag. A resource that does not exist has no tags: a policy with a
 * condition on them refuses it before EC2 looks for it.
 */
export function namesUntagged(call: ActionCall, key: string): boolean {
  const { params } = call;
  const single = [text(params, 'LaunchTemplateId'), text(params, 'FleetId')].flatMap((id) => id ?? []);
  const lists = ['InstanceId', 'FleetId', 'SpotFleetRequestId'].flatMap((name) => texts(params, name));
  return [...single, ...lists].some((id) => !hasTag(call, id, key));
}

function hasTag(call: ActionCall, id: string, key: string): boolean {
  try {
    return taggedResource(call, id).tags.has(key);
  } catch (error) {
    if (error instanceof AwsError) return false;
    throw error;
  }
}
