import test from 'ava';
import { ClaimLost, ProviderFault, silentLog, type Call } from '../../../../core/index.ts';
import { guard, type Guarded } from '../../../../core/providers/guard/guard.ts';
import { keepRunning } from '../../../support/keep-running.ts';

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

test('any other thrown value is logged and counts as a lost answer', async (t) => {
  const told: string[] = [];
  const log = { ...silentLog, error: (_: unknown, message: string) => void told.push(message) };
  const bug = () => Promise.reject(new TypeError('x is not a function'));
  t.like(await t.throwsAsync(guard(guarded({ log }), bug)), { kind: 'unknown-outcome', code: 'PLUGIN_ERROR' });
  t.like(await t.throwsAsync(guard(guarded({ log, mutating: false }), bug)), { kind: 'unavailable' });
  t.is(told.length, 2);
});

test('a call that is aborted at its time-out counts as lost when it may have changed something', async (t) => {
  keepRunning(t);
  const heeding = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const error = await t.throwsAsync(guard(guarded({ timeout_ms: 20 }), ({ signal }) => heeding(signal)));
  t.like(error, { kind: 'unknown-outcome', code: 'TIMEOUT' });
});

test('a plugin that ignores its signal does not block the loop', async (t) => {
  const abort = new AbortController();
  const waiting = guard(guarded({ signal: abort.signal }), () => new Promise<never>(() => undefined));
  abort.abort();
  t.like(await t.throwsAsync(waiting), { kind: 'unknown-outcome', code: 'TIMEOUT' });
});

test('the fence of an ended call throws, so that a plugin that continues changes nothing more', async (t) => {
  keepRunning(t);
  const stop = new AbortController();
  const ways: Readonly<Record<string, Partial<Guarded>>> = {
    'after its time-out': { timeout_ms: 20 },
    'after the loop was told to stop, or the claim was lost': { signal: stop.signal },
    'after it was answered': {},
  };
  for (const [when, fields] of Object.entries(ways)) {
    const changed: string[] = [];
    let goOn: (() => void) | undefined;
    const deaf = async (call: Call): Promise<string> => {
      call.fence();
      changed.push('in time');
      // The plugin continues after the end of the call.
      goOn = () => {
        call.fence();
        changed.push('too late');
      };
      if (when === 'after it was answered') return 'done';
      return new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('told to end'))));
    };
    const called = guard(guarded(fields), deaf).catch(() => undefined);
    if (fields.signal) stop.abort();
    await called;
    const refused = t.throws(() => goOn?.(), undefined, when);
    t.like(refused, { name: 'ProviderFault', kind: 'unknown-outcome', code: 'TIMEOUT' }, when);
    t.deepEqual(changed, ['in time'], when);
  }
});

test('the fence of a call throws after its time-out, even when a blocked thread delayed the signal', async (t) => {
  const late = async (call: Call): Promise<void> => {
    const end = performance.now() + 30;
    while (performance.now() < end);
    call.fence();
  };
  t.like(await t.throwsAsync(guard(guarded({ timeout_ms: 20 }), late)), { kind: 'unknown-outcome', code: 'TIMEOUT' });
});

test('the fence of a call includes the fence of the claim', async (t) => {
  const fence = () => {
    throw new ClaimLost('req-1');
  };
  const error = await t.throwsAsync(guard(guarded({ fence }), async (call) => call.fence()));
  t.is(error?.name, 'ClaimLost');
});
