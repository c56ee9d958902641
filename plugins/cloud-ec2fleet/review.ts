import type { Finding } from '../../core/index.ts';
import { reviewFleet, standingTypes, type CloudTemplate } from '../cloud/index.ts';

/** How fleets may live; the first is taken where a template says nothing. */
export const fleetTypes = ['instant', ...standingTypes] as const;

const overruled = ['Type', 'ClientToken', 'TerminateInstancesWithExpiration', 'ExcessCapacityTerminationPolicy'];

/** What EC2 Fleet cannot honour. */
export const review = (template: object): Finding[] =>
  reviewFleet(template as CloudTemplate, { types: fleetTypes, overruled, tagged: 'fleet' });
