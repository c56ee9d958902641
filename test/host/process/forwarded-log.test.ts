import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { revoked, thrownByMistake } from '../../core/providers/guard/thrown-by-mistake.ts';
import { forwardedLog, type LogLine } from '../../../host/process/forwarded-log.ts';

test('lines below the level are not sent; errors become plain, with code, stack and cause', (t) => {
  const lines: LogLine[] = [];
  const log = forwardedLog('warn', (line) => lines.push(line));
  log.info({}, 'quiet');
  log.warn({ request_id: 'req-1' }, 'loud');
  log.error({ err: new ProviderFault('capacity', 'none left', { code: 'ICE', cause: new Error('below') }) }, 'failed');
  t.deepEqual(
    lines.map(({ level, message }) => [level, message]),
    [
      ['warn', 'loud'],
      ['error', 'failed'],
    ],
  );
  t.like(lines[1]?.fields['err'], {
    type: 'ProviderFault',
    message: 'none left',
    code: 'ICE',
    kind: 'capacity',
    cause: { message: 'below' },
  });
  t.notThrows(() => structuredClone(lines));
});

const shownProxy = 'an object that cannot be read';
const circle: Record<string, unknown> = { kept: 1 };
circle['self'] = circle;

const lines: readonly (readonly [name: string, fields: unknown, message: unknown, sent: object])[] = [
  ['a BigInt', { n: 1n }, 'x', { fields: { n: '1' }, message: 'x' }],
  ['a circle', { circle, other: 1 }, 'x', { fields: { circle: 'an object', other: 1 }, message: 'x' }],
  ['a function', { call: () => 1, other: 1 }, 'x', { fields: { other: 1 }, message: 'x' }],
  ['a Proxy that was revoked', { p: revoked(), other: 1 }, 'x', { fields: { p: shownProxy, other: 1 }, message: 'x' }],
  ['only a Proxy that was revoked', revoked(), 'x', { fields: { fields: shownProxy }, message: 'x' }],
  ['nothing', undefined, 'x', { fields: {}, message: 'x' }],
  ['a text alone', 'hello', undefined, { fields: { fields: 'hello' }, message: 'undefined' }],
  ['a symbol as the message', {}, Symbol('s'), { fields: {}, message: 'a symbol' }],
  ['an object as the message', {}, { a: 1 }, { fields: {}, message: 'an object' }],
];

for (const [name, fields, message, sent] of lines)
  test(`whatever a plugin writes is sent as far as it can be: ${name}`, (t) => {
    const seen: LogLine[] = [];
    const log = forwardedLog('info', (line) => seen.push(line)) as Record<string, any>;
    t.notThrows(() => log['info'](fields, message));
    t.deepEqual(structuredClone(seen), [{ level: 'info', ...sent }] as LogLine[]);
  });

for (const [name, make] of Object.entries(thrownByMistake))
  test(`an error that can hardly be read is sent: ${name}`, (t) => {
    const seen: LogLine[] = [];
    const log = forwardedLog('info', (line) => seen.push(line));
    t.notThrows(() => log.error({ err: make(), request_id: 'req-1' }, 'failed'));
    t.is(structuredClone(seen)[0]?.fields['request_id'], 'req-1');
  });

test('an error shows nothing through its toJSON: it may hold a header with a key', (t) => {
  const seen: LogLine[] = [];
  const config = { headers: { authorization: 'Bearer TOKEN' } };
  const err = Object.assign(new Error('refused'), { config, toJSON: () => ({ config }) });
  forwardedLog('info', (line) => seen.push(line)).error({ err, more: [err] }, 'failed');
  t.false(JSON.stringify(seen).includes('TOKEN'));
  t.like(seen[0]?.fields['err'], { type: 'Error', message: 'refused' });
});

test('a text of megabytes is shortened', (t) => {
  const seen: LogLine[] = [];
  const long = 'x'.repeat(5_000_000);
  forwardedLog('info', (line) => seen.push(line)).error({ long, err: new Error(long) }, long);
  t.true(JSON.stringify(seen).length < 100_000);
});

test('silent sends nothing', (t) => {
  const log = forwardedLog('silent', () => t.fail());
  log.error({}, 'x');
  t.pass();
});
