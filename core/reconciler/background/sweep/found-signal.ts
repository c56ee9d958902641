import { newSignalId } from '../../../model/ids.ts';
import type { Change } from '../../../contract/storage.ts';
import type { StrayMachines } from './compare.ts';

/** A signal that passes machines to the request that no longer tracks them, or never did. */
export const foundSignal = (
  { request_id, attempt, provider_instance, machines }: StrayMachines,
  created_at: number,
): Change => ({
  op: 'insert',
  kind: 'signal',
  record: {
    signal_id: newSignalId(),
    kind: 'found',
    request_id,
    machines: machines.map(({ machine_id }) => ({ provider_instance, machine_id })),
    found: { attempt, reports: [...machines] },
    created_at,
    applied: false,
  },
});
