import { definePlugin } from '../../core/index.ts';
import { spotFleet } from './spot-fleet.ts';

export { spotFleet } from './spot-fleet.ts';

/** The provider API SpotFleet: the predecessor of EC2 Fleet, for templates and roles that name it. */
export default definePlugin({ name: 'cloud-spotfleet', contract: 1, requires: ['cloud'], providerApis: [spotFleet] });
