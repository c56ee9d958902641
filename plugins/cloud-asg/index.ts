import { definePlugin } from '../../core/index.ts';
import { asg } from './asg.ts';

export { asg } from './asg.ts';

/** The provider API ASG: an Auto Scaling group for each order. */
export default definePlugin({ name: 'cloud-asg', contract: 1, requires: ['cloud'], providerApis: [asg] });
