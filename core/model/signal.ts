import { Type, type Static } from 'typebox';
import type { MachineReport } from '../contract/provider.ts';
import { MachineKey } from './machine.ts';

/** What somebody wants of a request that a loop may be holding: inserted by a face or the sweep, applied by the holder of the claim. */
export const SignalRecord = Type.Object({
  signal_id: Type.String(),
  kind: Type.Unsafe<'cancel' | 'complete' | 'return' | 'found'>(Type.Enum(['cancel', 'complete', 'return', 'found'])),
  /** The provisioning request that it concerns. */
  request_id: Type.String(),
  /** The return request that it belongs to. */
  return_id: Type.Optional(Type.String()),
  /** Machines wanted gone, for a return. */
  machines: Type.Array(MachineKey),
  /** Machines of an attempt that its request has lost sight of, for a find. */
  found: Type.Optional(
    Type.Object({
      attempt: Type.Integer({ minimum: 1 }),
      reports: Type.Array(Type.Unsafe<MachineReport>(Type.Object({}, { additionalProperties: true }))),
    }),
  ),
  reason: Type.Optional(Type.String()),
  created_at: Type.Integer(),
  applied: Type.Boolean(),
});
export type SignalRecord = Static<typeof SignalRecord>;
