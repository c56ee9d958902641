import type { ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { clockCheck } from './clock.ts';
import { credentialsCheck } from './credentials.ts';
import { imagesCheck } from './images.ts';
import { launchTemplatesCheck } from './launch-templates.ts';
import { permissionsCheck } from './permissions.ts';
import { quotasCheck } from './quotas.ts';
import { rolesCheck } from './service-linked-roles.ts';
import { subnetsCheck } from './subnets.ts';

/** What `muster doctor` checks at an instance of the type `cloud`. */
export const cloudChecks: readonly ProviderCheck<CloudSession>[] = [
  credentialsCheck,
  clockCheck,
  subnetsCheck,
  imagesCheck,
  launchTemplatesCheck,
  permissionsCheck,
  rolesCheck,
  quotasCheck,
];
