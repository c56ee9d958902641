import { definePlugin } from '../../core/index.ts';
import { ec2Fleet } from './ec2-fleet.ts';

export { ec2Fleet } from './ec2-fleet.ts';

/** The provider API EC2Fleet: an order may use several machine types, places and markets. */
export default definePlugin({ name: 'cloud-ec2fleet', contract: 1, requires: ['cloud'], providerApis: [ec2Fleet] });
