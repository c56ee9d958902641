import type { ActionCall } from '../action.ts';
import { checkToken } from '../state/tokens.ts';
import { AwsError } from '../wire/errors.ts';

/** The result of a call, and whether it is that of an earlier call under the same token. */
export interface Once<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}

export interface OnceOptions {
  /** The zone of zonal tokens; default: the token belongs to the region. */
  readonly scope?: string;
  readonly maxLength?: number;
  /** Whether a failure of the call pins the token too, as it does for launches (default). */
  readonly pinFailures?: boolean;
}

/**
 * Runs `run` once for each client token and scope: an identical replay gives the first result without effect, other parameters under
 * the same token are refused. What must never pin a token, such as a malformed parameter, is checked before.
 */
export function once<Result>(call: ActionCall, options: OnceOptions, run: () => Result): Once<Result> {
  const { token } = call;
  if (token === undefined) return { result: run(), replayed: false };
  checkToken(token, options.maxLength ?? 64);
  const key = { action: call.action, scope: options.scope ?? '', token };
  const { tokens } = call.state;

  const earlier = tokens.recall(key, call.paramsHash, call.now);
  if (earlier?.kind === 'done') return { result: earlier.result as Result, replayed: true };
  if (earlier?.kind === 'failed' && call.knobs.tokens.failed_replay === 'repeat') throw earlier.error;
  try {
    const result = run();
    tokens.remember(key, call.paramsHash, { kind: 'done', result }, call.now);
    return { result, replayed: false };
  } catch (error) {
    if (error instanceof AwsError && options.pinFailures !== false)
      tokens.remember(key, call.paramsHash, { kind: 'failed', error }, call.now);
    throw error;
  }
}
