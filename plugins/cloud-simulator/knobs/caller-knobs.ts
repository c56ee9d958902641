import { listOf, milliseconds, oneOf, orNull, record, type Shapes, string } from './shapes.ts';
import { type When, when } from './when.ts';

/** Client tokens, where AWS's behaviour is not documented. The defaults are the harsher ones. */
export interface TokenKnobs {
  /** An identical replay of a call that found no capacity: the same error, or another try. */
  readonly failed_replay: 'repeat' | 'execute';
  /** A replay when all its machines are terminated: IdempotentInstanceTerminated, or the old reservation. */
  readonly terminated_replay: 'error' | 'old';
  /** A replay of CreateFleet: the fleet's id alone, or with machines and errors. */
  readonly fleet_replay: 'bare' | 'full';
  /** How long after the first call a replay is refused because that one still runs. */
  readonly in_progress_ms: number;
  readonly memory_ms: number;
}

/** Who may do what. */
export interface AuthKnobs {
  /** Access keys that exist; null = every key. Others: AuthFailure. */
  readonly known_keys: readonly string[] | null;
  /** Credentials that have expired: of an account or region, or of all. */
  readonly expired: readonly When[];
  /** Actions (`*` = any) that are not allowed: UnauthorizedOperation, in Auto Scaling AccessDenied. */
  readonly denied: readonly (When & { readonly action: string })[];
  /** How far the cloud's clock is ahead of the callers' (below 0: behind). Calls signed more than five minutes off are refused, as AWS does. */
  readonly clock_skew_ms: number;
}

/** How callers are recognised. */
export interface CallerKnobs {
  readonly tokens: TokenKnobs;
  readonly auth: AuthKnobs;
}

export const callerDefaults: CallerKnobs = {
  tokens: { failed_replay: 'repeat', terminated_replay: 'error', fleet_replay: 'bare', in_progress_ms: 0, memory_ms: 86_400_000 },
  auth: { known_keys: null, expired: [], denied: [], clock_skew_ms: 0 },
};

const skew = (value: unknown, path: string): string[] =>
  typeof value === 'number' && Number.isFinite(value) ? [] : [`${path}: expected milliseconds`];

export const callerShapes: Shapes = {
  tokens: record({
    failed_replay: oneOf('repeat', 'execute'),
    terminated_replay: oneOf('error', 'old'),
    fleet_replay: oneOf('bare', 'full'),
    in_progress_ms: milliseconds,
    memory_ms: milliseconds,
  }),
  auth: record({
    known_keys: orNull(listOf(string)),
    expired: listOf(record(when)),
    denied: listOf(record({ ...when, action: string }, ['action'])),
    clock_skew_ms: skew,
  }),
};
