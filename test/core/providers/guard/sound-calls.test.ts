import { inspect } from 'node:util';
import assert from 'node:assert';
import test from 'ava';
import { silentLog } from '../../../../core/contract/log.ts';
import type { ProviderCall } from '../../../../core/contract/provider/call.ts';
import { soundCalls } from '../../../../core/providers/guard/meter/sound-calls.ts';
import { revoked } from './thrown-by-mistake.ts';

function recorded(...calls: readonly unknown[]) {
  const counted: ProviderCall[] = [];
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
  const { record } = soundCalls('east', { record: (call) => void counted.push(call) }, log);
  for (const call of calls) record(call as ProviderCall);
  return { counted, warnings };
}

const noAction = "its 'action' is no text";
const noDuration = "its 'ms' is no duration of at most a day";
const uncounted: readonly (readonly [call: unknown, broken: string])[] = [
  [undefined, 'it is no object'],
  [null, 'it is no object'],
  ['Start', 'it is no object'],
  [Object.defineProperty({ ms: 1 }, 'action', { get: () => assert.fail('do not read me') }), 'it cannot be read'],
  [{ ms: 1 }, noAction],
  [{ action: '', ms: 1 }, noAction],
  [{ action: 404, ms: 1 }, noAction],
  [{ action: 'A' }, noDuration],
  [{ action: 'A', ms: '12' }, noDuration],
  [{ action: 'A', ms: Number.NaN }, noDuration],
  [{ action: 'A', ms: Number.POSITIVE_INFINITY }, noDuration],
  [{ action: 'A', ms: Number.NEGATIVE_INFINITY }, noDuration],
  [{ action: 'A', ms: 1.7e308 }, noDuration],
  [{ action: 'A', ms: 86_400_001 }, noDuration],
  [{ action: 'A', ms: 1, kind: 'sad' }, "its 'kind' is no kind of fault"],
  [{ action: 'A', ms: 1, kind: null }, "its 'kind' is no kind of fault"],
];

for (const [call, broken] of uncounted)
  test(`not counted: ${broken}, of ${inspect(call)}`, (t) => {
    const { counted, warnings } = recorded(call, call);
    t.deepEqual(counted, []);
    t.deepEqual(warnings, [
      `The plugin of 'east' recorded a call that is not counted: ${broken}. Further ones are not reported. This is a bug of the plugin.`,
    ]);
  });

test('a Proxy that was revoked is not counted', (t) => {
  const { counted, warnings } = recorded(revoked());
  t.deepEqual(counted, []);
  t.regex(warnings[0] ?? '', /it cannot be read/);
});

test('what is right is counted as it is', (t) => {
  const calls = [
    { action: 'A', ms: 0 },
    { action: 'A', ms: 86_400_000, kind: 'throttled', code: 'SlowDown' },
  ];
  t.deepEqual(recorded(...calls), { counted: calls as ProviderCall[], warnings: [] });
});

test('what is only odd is counted without it', (t) => {
  const { counted, warnings } = recorded(
    { action: 'A', ms: -3_600_000, more: 1 },
    { action: 'A'.repeat(200), ms: 1, kind: 'quota', code: 'B'.repeat(200) },
    { action: 'A', ms: 1, kind: 'quota', code: 503 },
  );
  t.deepEqual(counted, [
    { action: 'A', ms: 0 },
    { action: 'A'.repeat(128), ms: 1, kind: 'quota', code: 'B'.repeat(128) },
    { action: 'A', ms: 1, kind: 'quota' },
  ]);
  t.deepEqual(warnings, []);
});
