import { Type, type Static } from 'typebox';
import { faultKinds, type FaultKind } from '../contract/fault.ts';

/**
 * A pool of machines that a template allows, in the plugin's own spelling. `key` is compared; the other fields are
 * shown.
 */
export const Offer = Type.Object({ key: Type.String() }, { additionalProperties: true });
export type Offer = { readonly key: string } & { readonly [field: string]: unknown };

/** Why fewer machines arrived than were ordered. Without `offer` the reason concerns the whole order. */
export const Shortfall = Type.Object({
  offer: Type.Optional(Type.String()),
  kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])),
  code: Type.String(),
  message: Type.String(),
  lack: Type.Optional(
    Type.Enum(['terms', 'untried', 'denied'], {
      description:
        'Of a lack of capacity. `terms`: only the terms of the template, such as its price, find no machines of the offer. `untried`: the provider may not have tried the offer; without `offer`, it may not have tried any offer that no other reason names. Of the kind `invalid`: `denied`: the account or the identity of the instance may not start machines of the offer; other offers and instances may serve. Absent: the offer has no machines for any template.',
    }),
  ),
  /**
   * Of a launch: how many machines this reason cost, where the provider reports it. Of a request that ended: how many
   * of the missing machines this reason accounts for. All counts together never exceed the number of missing machines.
   */
  count: Type.Optional(
    Type.Integer({
      description:
        'How many of the missing machines this reason accounts for. All counts together never exceed the number of missing machines.',
    }),
  ),
});
export type Shortfall = Static<typeof Shortfall>;

/** The final result of a request. */
export const Fulfilment = Type.Object({
  requested: Type.Integer(),
  /** Machines that became ready, including those that were returned since. */
  delivered: Type.Integer(),
  /** No further machine will arrive. */
  final: Type.Boolean(),
  shortfall: Type.Array(Shortfall),
});
export type Fulfilment = Static<typeof Fulfilment>;
