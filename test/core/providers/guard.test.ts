import test from 'ava';
import { ClaimLost, ProviderFault, silentLog } from '../../../core/index.ts';
import { guard, type Guarded } from '../../../core/providers/guard.ts';

const guarded = (fields: Partial<Guarded> = {}): Guarded => ({
  what: 'launch',
  mutating: true,
  timeout_ms: 1_000,
  signal: new AbortController().signal,
  fence: () => undefined,
  log: silentLog,
  ...fields,
});

test('a result, a fault and a lost claim pass through unchanged', async (t) => {
  t.is(await guard(guarded(), async () => 7), 7);
  for (const error of [new ProviderFault('capacity', 'none'), new ClaimLost('req-1')]) {
    t.is(await t.throwsAsync(guard(guarded(), () => Promise.reject(error))), error);
  }
});

test('what a plugin throws otherwise is told in the log and counts as a lost answer', async (t) => {
  const told: string[] = [];
  const log = { ...silentLog, error: (_: unknown, message: string) => void told.push(message) };
  const bug = () => Promise.reject(new TypeError('x is not a function'));
  t.like(await t.throwsAsync(guard(guarded({ log }), bug)), { kind: 'unknown-outcome', code: 'PLUGIN_ERROR' });
  t.like(await t.throwsAsync(guard(guarded({ log, mutating: false }), bug)), { kind: 'unavailable' });
  t.is(told.length, 2);
});

test('a call that is aborted at its time-out counts as lost when it may have changed something', async (t) => {
  const heeding = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const error = await t.throwsAsync(guard(guarded({ timeout_ms: 20 }), ({ signal }) => heeding(signal)));
  t.like(error, { kind: 'unknown-outcome', code: 'TIMEOUT' });
});

test('a plugin that does not heed its signal does not hold the loop up', async (t) => {
  const abort = new AbortController();
  const waiting = guard(guarded({ signal: abort.signal }), () => new Promise<never>(() => undefined));
  abort.abort();
  t.like(await t.throwsAsync(waiting), { kind: 'unknown-outcome', code: 'TIMEOUT' });
});

test('the fence that the plugin calls is the one of the claim', async (t) => {
  const fence = () => {
    throw new ClaimLost('req-1');
  };
  const error = await t.throwsAsync(guard(guarded({ fence }), async (call) => call.fence()));
  t.is(error?.name, 'ClaimLost');
});
