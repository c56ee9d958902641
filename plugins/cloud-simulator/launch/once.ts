import type { ActionCall } from '../dispatch/action.ts';
import { endDryRun } from '../dispatch/dry-run.ts';
import { checkToken } from '../state/tokens.ts';
import { AwsError } from '../wire/errors.ts';

/** The result of a call, and whether it comes from an earlier call with the same token. */
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

/** Options of a call whose result may be a failure. */
export interface ResultOptions<Result> extends OnceOptions {
  /** Whether a replay of the call that had this result is executed again. Default: never. */
  readonly again?: (result: Result) => boolean;
}

/**
 * Runs `run` once for each client token and scope. An identical replay returns the first result without effect. Other
 * parameters under the same token are refused, and so is a replay while the first call counts as running. Callers
 * check beforehand what must not pin a token, such as malformed parameters. A dry run ends here.
 */
export function once<Result>(call: ActionCall, options: ResultOptions<Result>, run: () => Result): Once<Result> {
  const { token } = call;
  if (token !== undefined) checkToken(token, options.maxLength ?? 64);
  endDryRun(call);
  if (token === undefined) return { result: run(), replayed: false };
  const key = { action: call.action, scope: options.scope ?? '', token };
  const { knobs, now } = call;
  const { tokens } = call.state;

  const first = tokens.recall(key, call.paramsHash, now);
  if (first !== undefined && now - first.at < knobs.tokens.in_progress_ms)
    throw new AwsError('IdempotentCallInProgress', 'The first call with this client token is still in progress.');
  if (first?.outcome.kind === 'done' && options.again?.(first.outcome.result as Result) !== true)
    return { result: first.outcome.result as Result, replayed: true };
  if (first?.outcome.kind === 'failed' && knobs.tokens.failed_replay === 'repeat') throw first.outcome.error;
  try {
    const result = run();
    tokens.remember(key, call.paramsHash, { kind: 'done', result }, now);
    return { result, replayed: false };
  } catch (error) {
    // An outage of a zone does not pin the token: the same token may be retried, as AWS advises.
    const decided = error instanceof AwsError && error.code !== 'Unavailable';
    if (decided && options.pinFailures !== false)
      tokens.remember(key, call.paramsHash, { kind: 'failed', error }, now);
    throw error;
  }
}
