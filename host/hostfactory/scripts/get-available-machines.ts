import type { Script } from '../client/script.ts';

/** Asked for by older schedulers: machines that stand ready without a request. There are none such. */
export const getAvailableMachines: Script = async () => ({
  message: 'getAvailableMachines is not supported.',
  machines: [],
});
