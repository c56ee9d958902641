import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
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

test('silent sends nothing', (t) => {
  const log = forwardedLog('silent', () => t.fail());
  log.error({}, 'x');
  t.pass();
});
