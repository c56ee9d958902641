import { Type, type Static } from 'typebox';
import type { Notice } from '../contract/notice.ts';
import type { MachineReport } from '../contract/provider/orders-and-reports.ts';
import { MachineKey } from './machine.ts';

/**
 * A change that is requested for a request that a loop may hold. An interface or discovery inserts the signal; the
 * holder of the claim applies it.
 */
export const SignalRecord = Type.Object({
  signal_id: Type.String(),
  kind: Type.Unsafe<'cancel' | 'complete' | 'return' | 'found' | 'noticed' | 'extend' | 'hold'>(
    Type.Enum(['cancel', 'complete', 'return', 'found', 'noticed', 'extend', 'hold']),
  ),
  /** The provisioning request that the signal concerns. */
  request_id: Type.String(),
  /** The return request that the signal belongs to. */
  return_id: Type.Optional(Type.String()),
  /** For `return`, `extend` and `hold`: the machines. For `noticed`: the machine of each notice, in their order. */
  machines: Type.Array(MachineKey),
  /** Only for `found`: machines of an attempt that the request no longer tracks. */
  found: Type.Optional(
    Type.Object({
      attempt: Type.Integer({ minimum: 1 }),
      reports: Type.Array(Type.Unsafe<MachineReport>(Type.Object({}, { additionalProperties: true }))),
    }),
  ),
  /** Only for `noticed`: what the provider announced. */
  noticed: Type.Optional(Type.Array(Type.Unsafe<Notice>(Type.Object({}, { additionalProperties: true })))),
  reason: Type.Optional(Type.String()),
  /** Only for `return`: the lease of the machines ended. */
  expired: Type.Optional(Type.Boolean()),
  /** Only for `extend` and `hold`: by how long, or for how long. A hold of 0 seconds ends the present one. */
  seconds: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Only for `extend` and `hold`: their number among those of the request, see `termsOf`. */
  terms: Type.Optional(Type.Integer()),
  created_at: Type.Integer(),
  applied: Type.Boolean(),
});
export type SignalRecord = Static<typeof SignalRecord>;
