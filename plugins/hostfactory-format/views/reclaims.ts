import { Type } from 'typebox';
import type { Reclaimed, View } from '../../../core/index.ts';

/** The answer of getReturnRequests: machines that the cloud reclaims, with the seconds that are left. */
export const reclaims: View<readonly Reclaimed[]> = {
  schema: Type.Object({
    status: Type.String(),
    message: Type.String(),
    requests: Type.Array(
      Type.Object({ machine: Type.String(), machineId: Type.String(), gracePeriod: Type.Integer() }),
    ),
  }),
  render: (machines) => ({
    status: 'complete',
    message:
      machines.length === 0
        ? 'No machine is reclaimed.'
        : `${machines.length} ${machines.length === 1 ? 'machine is' : 'machines are'} reclaimed.`,
    requests: machines.map(({ machine_id, name, grace_period_s }) => ({
      machine: name || machine_id,
      machineId: machine_id,
      gracePeriod: Math.max(0, Math.floor(grace_period_s)),
    })),
  }),
};
