import type { Script } from '../client/script.ts';

/** Older schedulers call this for machines that are ready without a request; muster has none. */
export const getAvailableMachines: Script = async () => ({
  message: 'getAvailableMachines is not supported.',
  machines: [],
});
