import { Type, type Static } from 'typebox';
import { faultKinds, type FaultKind } from '../contract/fault.ts';

/** A pool of machines that a template allows, in the plugin's own spelling: `key` is compared, the rest is shown. */
export const Offer = Type.Object({ key: Type.String() }, { additionalProperties: true });
export type Offer = { readonly key: string } & { readonly [field: string]: unknown };

/** Why fewer machines came than were ordered. Without `offer` it concerns the whole order. */
export const Shortfall = Type.Object({
  offer: Type.Optional(Type.String()),
  kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])),
  code: Type.String(),
  message: Type.String(),
  /**
   * Of a launch: how many machines it cost, where the provider says so. Of a request that ended: how many of the machines that are missing it accounts for;
   * all counts together are never more than are missing.
   */
  count: Type.Optional(
    Type.Integer({
      description: 'Of the machines that are missing at the end: how many this reason accounts for. Together never more than are missing.',
    }),
  ),
});
export type Shortfall = Static<typeof Shortfall>;

/** What a request ended with. */
export const Fulfilment = Type.Object({
  requested: Type.Integer(),
  /** Machines that became ready, returned since or not. */
  delivered: Type.Integer(),
  /** Nothing more will come. */
  final: Type.Boolean(),
  shortfall: Type.Array(Shortfall),
});
export type Fulfilment = Static<typeof Fulfilment>;
