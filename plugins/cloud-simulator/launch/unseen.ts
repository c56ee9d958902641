import type { ActionCall } from '../dispatch/action.ts';
import { AwsError } from '../wire/errors.ts';
import { flag } from '../wire/values.ts';

const missingTemplate = /^InvalidLaunchTemplate(Id\.(Version)?NotFound|Name\.NotFoundException)$/;

/** Whether an error is about a launch template or an instance profile that may only be too new to be visible. */
export const isUnseen = ({ code, message }: { readonly code: string; readonly message: string }): boolean =>
  missingTemplate.test(code) || /invalid iam instance profile/i.test(message);

/**
 * Reads the parameters of a call with a token. An error of `read` pins no token, unless it is about something that is
 * not visible and the knob `unseen_replay` is `repeat`: then every replay gets the same error.
 */
export function readForToken<Input>(call: ActionCall, read: () => Input): Input {
  const { token, action, paramsHash, now, knobs } = call;
  const { tokens } = call.state;
  if (token === undefined || knobs.tokens.unseen_replay === 'execute' || flag(call.params, 'DryRun')) return read();
  const key = { action, scope: 'unseen', token };
  const first = tokens.recall(key, paramsHash, now);
  if (first?.outcome.kind === 'failed') throw first.outcome.error;
  try {
    return read();
  } catch (error) {
    if (error instanceof AwsError && isUnseen(error)) tokens.remember(key, paramsHash, { kind: 'failed', error }, now);
    throw error;
  }
}
