import type { Action } from '../dispatch/action.ts';
import { catalogueActions } from './catalogue/index.ts';
import { fleetsActions } from './fleets/index.ts';
import { groupsActions } from './groups/index.ts';
import { identityActions } from './identity/index.ts';
import { instancesActions } from './instances/index.ts';
import { launchTemplatesActions } from './launch-templates/index.ts';
import { networkActions } from './network/index.ts';
import { parametersActions } from './parameters/index.ts';
import { queuesActions } from './queues/index.ts';
import { quotasActions } from './quotas/index.ts';
import { spotActions } from './spot/index.ts';
import { tagsActions } from './tags/index.ts';
import { volumesActions } from './volumes/index.ts';

const ec2Version = '2016-11-15';

/** All actions of the simulated cloud. */
export const actions: readonly Action[] = [
  ...instancesActions,
  ...launchTemplatesActions,
  ...fleetsActions,
  ...spotActions,
  ...groupsActions,
  ...tagsActions,
  ...catalogueActions,
  ...networkActions,
  ...volumesActions,
  ...identityActions,
  ...parametersActions,
  ...queuesActions,
  ...quotasActions,
];

const byName = new Map(actions.map((action) => [`${action.version ?? ec2Version}/${action.name}`, action]));

/** The action of a name in a version of the protocol. */
export function actionFor(version: string, name: string): Action | undefined {
  return byName.get(`${version}/${name}`);
}
