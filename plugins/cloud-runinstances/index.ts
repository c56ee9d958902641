import { definePlugin } from '../../core/index.ts';
import { runInstances } from './run-instances.ts';

export { runInstances } from './run-instances.ts';

/** The provider API RunInstances: one machine type, one place and one market for each order. */
export default definePlugin({
  name: 'cloud-runinstances',
  contract: 1,
  requires: ['cloud'],
  providerApis: [runInstances],
});
