import type { ActionCall } from '../../dispatch/action.ts';
import { type Once, once } from '../once.ts';

/**
 * Runs a call once for its token, and reads its parameters separately: an error of `read` pins no token, and a replay
 * is not read, because its template may have been deleted.
 */
export function onceRead<Input, Result>(
  call: ActionCall,
  read: () => Input,
  run: (input: Input) => Result,
): Once<Result> {
  const { token, state, action, paramsHash, now } = call;
  const earlier = token === undefined ? undefined : state.tokens.recall({ action, scope: '', token }, paramsHash, now);
  const input = earlier?.outcome.kind === 'done' ? undefined : read();
  return once(call, {}, () => run(input as Input));
}
