import type { Action } from '../action.ts';
import { createFleet } from './create-fleet.ts';
import { createLaunchTemplateVersion } from './create-launch-template-version.ts';
import { createLaunchTemplate } from './create-launch-template.ts';
import { createTags } from './create-tags.ts';
import { deleteFleets } from './delete-fleets.ts';
import { deleteLaunchTemplateVersions } from './delete-launch-template-versions.ts';
import { deleteLaunchTemplate } from './delete-launch-template.ts';
import { describeAvailabilityZones } from './describe-availability-zones.ts';
import { describeFleets } from './describe-fleets.ts';
import { describeImages } from './describe-images.ts';
import { describeInstanceStatus } from './describe-instance-status.ts';
import { describeInstanceTypes } from './describe-instance-types.ts';
import { describeInstances } from './describe-instances.ts';
import { describeKeyPairs } from './describe-key-pairs.ts';
import { describeLaunchTemplateVersions } from './describe-launch-template-versions.ts';
import { describeLaunchTemplates } from './describe-launch-templates.ts';
import { describeRegions } from './describe-regions.ts';
import { describeSecurityGroups } from './describe-security-groups.ts';
import { describeSubnets } from './describe-subnets.ts';
import { describeTags } from './describe-tags.ts';
import { getCallerIdentity } from './get-caller-identity.ts';
import { modifyLaunchTemplate } from './modify-launch-template.ts';
import { runInstances } from './run-instances.ts';
import { terminateInstances } from './terminate-instances.ts';

const ec2Version = '2016-11-15';

/** All actions of the simulated cloud. */
export const actions: readonly Action[] = [
  createFleet,
  createLaunchTemplateVersion,
  createLaunchTemplate,
  createTags,
  deleteFleets,
  deleteLaunchTemplateVersions,
  deleteLaunchTemplate,
  describeAvailabilityZones,
  describeFleets,
  describeImages,
  describeInstanceStatus,
  describeInstanceTypes,
  describeInstances,
  describeKeyPairs,
  describeLaunchTemplateVersions,
  describeLaunchTemplates,
  describeRegions,
  describeSecurityGroups,
  describeSubnets,
  describeTags,
  getCallerIdentity,
  modifyLaunchTemplate,
  runInstances,
  terminateInstances,
];

const byName = new Map(actions.map((action) => [`${action.version ?? ec2Version}/${action.name}`, action]));

/** The action of a name in a version of the protocol. */
export function actionFor(version: string, name: string): Action | undefined {
  return byName.get(`${version}/${name}`);
}
