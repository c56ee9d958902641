import test from 'ava';
import { errorSummary, errorText, thrownError } from '../../../../core/providers/answer-checks/thrown-error.ts';
import { guard, type CallEnd } from '../../../../core/providers/guard/guard.ts';
import { Asking, PluginFailure } from '../../../../core/providers/guard/asking.ts';
import { isBrokerError, isFault, ProviderFault, silentLog } from '../../../../core/index.ts';
import { isClaimLost } from '../../../../core/contract/commits/claim-lost.ts';
import { forwardedLog, type LogLine } from '../../../../host/process/forwarded-log.ts';
import { thrownByMistake } from './thrown-by-mistake.ts';

for (const [name, make] of Object.entries(thrownByMistake)) {
  test(`a thrown value is read without an error, and in full by anything after that: ${name}`, (t) => {
    for (const read of [isFault, isBrokerError, isClaimLost, errorSummary, errorText])
      t.notThrows(() => void read(make()));
    const error = thrownError(make());
    t.true(error instanceof Error);
    for (const value of [error.name, error.message, error.stack]) t.is(typeof value, 'string');
    t.notThrows(() => JSON.stringify(errorSummary(error)));
  });

  test(`a guarded call that throws it ends as a lost answer, once: ${name}`, async (t) => {
    const ends: CallEnd[] = [];
    const lines: LogLine[] = [];
    const guarded = {
      what: 'launch',
      mutating: true,
      timeout_ms: 1_000,
      signal: new AbortController().signal,
      fence: () => undefined,
      log: forwardedLog('info', (line) => lines.push(line)),
      ended: (end: CallEnd) => void ends.push(end),
    };
    const wanted =
      name === 'a fault with causes in a circle' ? ['invalid', 'invalid'] : ['unknown-outcome', 'PLUGIN_ERROR'];
    const thrown = await t.throwsAsync(
      guard(guarded, async () => {
        throw make();
      }),
      { instanceOf: ProviderFault },
    );
    t.like(thrown, { kind: wanted[0], code: wanted[1] });
    t.deepEqual(
      ends.map(({ kind, fault }) => [kind, fault?.code]),
      [wanted],
    );
    t.is(lines.length, wanted[0] === 'invalid' ? 0 : 1);
    t.notThrows(() => structuredClone(lines));
  });

  test(`a function that answers at once and throws it fails with the name of its plugin: ${name}`, (t) => {
    const failure = new Asking().ask(
      'east',
      {},
      'review',
      () => {
        throw make();
      },
      () => undefined,
    );
    t.true(failure instanceof PluginFailure);
  });
}

test('a promise where an answer is wanted at once is a violation, and its rejection ends no process', async (t) => {
  const log = { ...silentLog };
  for (const answer of [Promise.reject(new Error('later')), Promise.resolve([])]) {
    const failure = new Asking({ log }).ask<unknown>(
      'east',
      {},
      'review',
      () => answer,
      () => undefined,
    );
    t.true(failure instanceof PluginFailure);
    t.regex((failure as PluginFailure).fault.message, /the contract requires an answer at once, not a promise/);
  }
  await new Promise((resolve) => setImmediate(resolve));
});

test('of a large error the beginning is kept, and a few causes', (t) => {
  let error = new Error('x'.repeat(1_000_000));
  for (let n = 0; n < 100; n += 1) error = new Error('y'.repeat(1_000_000), { cause: error });
  Object.assign(error, Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${n}`, 'z'.repeat(100_000)])));
  const copy = thrownError(error);
  t.true(copy.message.startsWith('yyy') && copy.message.endsWith(' …'));
  t.true(JSON.stringify(errorSummary(error)).length < 300_000);
  t.true(errorText(error).length < 5_000);
});

test('an error keeps its name, message, stack, causes and plain fields', (t) => {
  const error = Object.assign(new TypeError('top', { cause: new RangeError('below') }), {
    code: 'E1',
    n: 7,
    secret: { key: 'k' },
  });
  const copy = thrownError(error);
  t.like(copy, { name: 'TypeError', message: 'top', stack: error.stack, code: 'E1', n: 7 });
  t.like(copy.cause as Error, { name: 'RangeError', message: 'below' });
  t.false('secret' in copy);
});
