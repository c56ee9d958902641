import { Type, type Static } from 'typebox';

/** A rate within which the plugin keeps its calls of one kind. */
export const RateState = Type.Object({
  action: Type.String({ description: "The call, or the group of calls with one rate, in the provider's own words." }),
  counts: Type.Enum(['calls', 'machines'], { description: 'What is limited: calls, or machines in calls.' }),
  per_second: Type.Number({ description: 'The full rate of this broker, for each second.' }),
  capacity: Type.Number({ description: 'The most that can be free: how many may go out at once.' }),
  free: Type.Number({ description: 'How many may go out now. Negative: waiting calls have reserved so many.' }),
  share: Type.Number({
    description: 'The part of `per_second` that is used now: 1, and less for some time after the provider throttled.',
  }),
});
export type RateState = Static<typeof RateState>;

/** The credentials with which the session calls its provider. Contains no secret, no key id and no path. */
export const CredentialState = Type.Object({
  source: Type.String({ description: 'Where they come from, in a word or two: `static keys`, `role`.' }),
  expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When those end that were last given. null: never, or not known, as before the first call.',
  }),
  renewed: Type.Boolean({ description: 'The source gives new ones before these end, without a person.' }),
});
export type CredentialState = Static<typeof CredentialState>;

/** What a session knows of itself, for the operator. */
export const ProviderState = Type.Object({
  /** Only rates that were used. */
  rates: Type.Array(RateState),
  /** null: the provider needs none. */
  credentials: Type.Union([CredentialState, Type.Null()]),
});
export type ProviderState = Static<typeof ProviderState>;
