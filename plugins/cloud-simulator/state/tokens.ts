import { AwsError } from '../wire/errors.ts';

/** What became of the first call that carried a token. */
export type Outcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: AwsError };

/**
 * The client tokens of one region. A token pins the whole parameter set of its first call, also when that call failed.
 */
export interface TokenBook {
  /**
   * The first call under this token, or `undefined` when there was none or it is forgotten. Refuses one with other
   * parameters.
   */
  recall(key: TokenKey, hash: string, now: number): FirstCall | undefined;
  /** Which of the scopes an equal call under this token has succeeded in. */
  doneIn(key: Omit<TokenKey, 'scope'>, scopes: readonly string[], hash: string, now: number): string | undefined;
  remember(key: TokenKey, hash: string, outcome: Outcome<unknown>, now: number): void;
}

/**
 * What a token stands for. `scope` is the zone for zonal tokens and empty for regional ones: the same token in another
 * zone is another token, as in EC2.
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

/** `memoryMs` tells how long a token is remembered after its first use. */
export function createTokenBook(memoryMs: () => number): TokenBook {
  const entries = new Map<string, Entry>();

  // Entries stand in order of time, so the old ones are all at the front.
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
  // Joined and not added: a key that is kept is then one string and not a chain of its pieces.
  return [key.action, key.scope, key.token].join('\n');
}
