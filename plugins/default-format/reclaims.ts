import { Type } from 'typebox';
import type { Reclaimed, View } from '../../core/index.ts';

/** Machines that the cloud takes, or took, back by itself. */
export const reclaims: View<readonly Reclaimed[]> = {
  schema: Type.Object({
    machines: Type.Array(
      Type.Object({
        machine_id: Type.String(),
        name: Type.Union([Type.String(), Type.Null()]),
        reason: Type.String(),
        grace_period_s: Type.Integer(),
      }),
    ),
  }),
  render: (machines) => ({
    machines: machines.map(({ machine_id, name, reason, grace_period_s }) => ({ machine_id, name: name ?? null, reason, grace_period_s })),
  }),
};
