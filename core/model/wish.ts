import { Type, type Static } from 'typebox';
import { MachineKey } from './machine.ts';

/** What a caller wants of a request that a loop may be holding: inserted by a face, absorbed by the holder of the claim. */
export const WishRecord = Type.Object({
  wish_id: Type.String(),
  kind: Type.Unsafe<'cancel' | 'return'>(Type.Enum(['cancel', 'return'])),
  /** The provisioning request that it concerns. */
  request_id: Type.String(),
  /** The return request that it belongs to. */
  return_id: Type.Optional(Type.String()),
  /** Machines wanted gone, for a return. */
  machines: Type.Array(MachineKey),
  reason: Type.Optional(Type.String()),
  created_at: Type.Integer(),
  absorbed: Type.Boolean(),
});
export type WishRecord = Static<typeof WishRecord>;
