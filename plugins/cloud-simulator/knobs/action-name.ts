import { actions } from '../actions/index.ts';
import { sharedBuckets } from '../dispatch/bucket-sizes.ts';
import type { Shape } from './shapes.ts';

// Read when a knob is turned, since actions and knobs know each other.
const known = () => [...new Set(actions.map((action) => action.name))].toSorted();

/** The name of an action of the simulated cloud, or `*` for all: a rule with a misspelt one would be silent for ever. */
export const actionName: Shape = (value, path) => {
  if (value === '*' || known().includes(value as string)) return [];
  return [`${path}: expected an action or *; known are ${known().join(', ')}`];
};

const launching = ['RunInstances', 'CreateFleet', 'RequestSpotFleet', 'CreateAutoScalingGroup', 'LaunchInstances'];

/** The name of an action that launches, or `*` for all. */
export const launchName: Shape = (value, path) =>
  value === '*' || launching.includes(value as string)
    ? []
    : [`${path}: expected an action that launches or *; known are ${launching.join(', ')}`];

/** The actions that draw from a bucket of machines beside that of their requests. */
export const machineActions = (): string[] => actions.filter((one) => one.resources !== undefined).map((one) => one.name);

/** What has a token bucket: an action of EC2, or a service whose actions share one. */
export const bucketName: Shape = (value, path) => {
  if (sharedBuckets.includes(value as string)) return [];
  const named = actions.filter((one) => one.name === value);
  if (named.length === 0) return [`${path}: no bucket; known are ${[...sharedBuckets, ...known()].join(', ')}`];
  return named.some((one) => one.version === undefined) ? [] : [`${path}: shares the bucket of its service, ${sharedBuckets.join(' or ')}`];
};
