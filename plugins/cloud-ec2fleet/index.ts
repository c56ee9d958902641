import { definePlugin } from '../../core/index.ts';
import { ec2Fleet } from './ec2-fleet.ts';

export { ec2Fleet } from './ec2-fleet.ts';

/** The API EC2Fleet: several machine types, places and markets in each order. */
export default definePlugin({ name: 'cloud-ec2fleet', contract: 1, requires: ['cloud'], providerApis: [ec2Fleet] });
