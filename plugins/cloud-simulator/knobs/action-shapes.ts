import { actionNames, launchActions, sharedBuckets } from '../actions/action-names.ts';
import type { Shape } from './shapes.ts';

const known: readonly string[] = [...new Set(Object.values(actionNames).flat())].toSorted();

/** The name of an action of the simulated cloud, or `*` for all. A rule with a misspelled name would have no effect. */
export const actionName: Shape = (value, path) => {
  if (value === '*' || known.includes(value as string)) return [];
  return [`${path}: expected an action or *; known: ${known.join(', ')}`];
};

/** The name of an action that launches, or `*` for all. */
export const launchName: Shape = (value, path) =>
  value === '*' || launchActions.some((name) => name === value)
    ? []
    : [`${path}: expected an action that launches or *; known: ${launchActions.join(', ')}`];

/** The owner of a token bucket: an action of EC2, or a service whose actions share one bucket. */
export const bucketName: Shape = (value, path) => {
  const hasBucket = [...sharedBuckets, ...actionNames.ec2].some((name) => name === value);
  if (hasBucket) return [];
  return known.includes(value as string)
    ? [`${path}: shares the bucket of its service, ${sharedBuckets.join(' or ')}`]
    : [`${path}: no bucket; known: ${[...sharedBuckets, ...known].join(', ')}`];
};
