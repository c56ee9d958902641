import type { ActionCall } from '../../dispatch/action.ts';
import { type Once, once, type ResultOptions } from '../once.ts';
import { readForToken } from '../unseen.ts';

/**
 * Runs a call once for its token, and reads its parameters separately: an error of `read` pins no token (see
 * `readForToken`), and a replay is not read, because its template may have been deleted.
 */
export function onceRead<Input, Result>(
  call: ActionCall,
  read: () => Input,
  run: (input: Input) => Result,
  { again = () => false }: Pick<ResultOptions<Result>, 'again'> = {},
): Once<Result> {
  const { token, state, action, paramsHash, now } = call;
  const earlier = token === undefined ? undefined : state.tokens.recall({ action, scope: '', token }, paramsHash, now);
  const done = earlier?.outcome.kind === 'done' && !again(earlier.outcome.result as Result);
  const input = done ? undefined : readForToken(call, read);
  return once(call, { again }, () => run(input as Input));
}
