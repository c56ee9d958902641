import { AwsError } from '../wire/errors.ts';

/** The outcome of the first call with a token. */
export type Outcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: AwsError };

/**
 * The client tokens of one region. A token pins the whole parameter set of its first call, even if that call failed.
 */
export interface TokenTable {
  /**
   * The first call with this token; undefined if there was none or it has expired. Throws IdempotentParameterMismatch
   * if the parameters differ.
   */
  recall(key: TokenKey, hash: string, now: number): FirstCall | undefined;
  /** The scope in which an equal call with this token has succeeded, if any. */
  doneIn(key: Omit<TokenKey, 'scope'>, scopes: readonly string[], hash: string, now: number): string | undefined;
  remember(key: TokenKey, hash: string, outcome: Outcome<unknown>, now: number): void;
}

/**
 * The key of a token. `scope` is the zone for zonal tokens and empty for regional ones: as in EC2, the same token in
 * another zone is a different token.
 */
export interface TokenKey {
  readonly action: string;
  readonly scope: string;
  readonly token: string;
}

export interface FirstCall {
  readonly outcome: Outcome<unknown>;
  readonly at: number;
}

interface Entry extends FirstCall {
  readonly hash: string;
}

/** `memoryMs` returns how long a token is remembered after its first use. */
export function createTokenTable(memoryMs: () => number): TokenTable {
  const entries = new Map<string, Entry>();

  // Entries are in order of time, so the oldest come first.
  function forget(now: number): void {
    const oldest = now - memoryMs();
    for (const [key, entry] of entries) {
      if (entry.at > oldest) return;
      entries.delete(key);
    }
  }

  return {
    recall(key, hash, now) {
      forget(now);
      const entry = entries.get(spell(key));
      if (entry === undefined) return undefined;
      if (entry.hash !== hash) {
        throw new AwsError(
          'IdempotentParameterMismatch',
          `Arguments on this idempotent request are inconsistent with arguments used in previous request(s).`,
        );
      }
      return entry;
    },
    doneIn(key, scopes, hash, now) {
      forget(now);
      return scopes.find((scope) => {
        const entry = entries.get(spell({ ...key, scope }));
        return entry?.hash === hash && entry.outcome.kind === 'done';
      });
    },
    remember(key, hash, outcome, now) {
      const name = spell(key);
      entries.delete(name);
      entries.set(name, { hash, outcome, at: now });
    },
  };
}

/** Refuses tokens that AWS refuses: longer than `max`, or not ASCII. */
export function checkToken(token: string, max: number): void {
  if (token.length <= max && /^[\x20-\x7e]*$/.test(token)) return;
  throw new AwsError('InvalidParameterValue', `The client token must have at most ${max} ASCII characters.`);
}

function spell(key: TokenKey): string {
  // `join` gives a flat string; concatenation would keep a chain of its pieces in memory.
  return [key.action, key.scope, key.token].join('\n');
}
