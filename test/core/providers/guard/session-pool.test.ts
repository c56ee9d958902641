import test from 'ava';
import { silentLog } from '../../../../core/index.ts';
import { SessionPool } from '../../../../core/providers/guard/session-pool.ts';
import { Quarantine } from '../../../../core/providers/quarantine/quarantine.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

function poolOf(endpoint_url: string | null) {
  const opened: string[] = [];
  const scheme = {
    scheme: 'made',
    open: async (rest: string) => {
      opened.push(rest);
      return { url: 'http://127.0.0.1:9', close: async () => undefined };
    },
  };
  const type = {
    type: 'fake',
    connect: async (_: unknown, { endpoint }: { endpoint(url: string): Promise<string> }) =>
      endpoint_url === null ? {} : endpoint(endpoint_url),
  };
  const instance = { name: 'east', type: 'fake', enabled: true, config: { endpoint_url } };
  const parts = { data_directory: '', installation: 'i', clock: new FakeClock(), log: silentLog };
  const pool = new SessionPool(
    { ...parts, instances: [instance as never], types: [type as never], apis: [], schemes: [scheme] },
    new AbortController().signal,
  );
  return { pool, opened };
}

test('an instance whose endpoint a plugin serves is dormant until its first use', async (t) => {
  const { pool, opened } = poolOf('made:here');
  t.true(pool.isDormant('east'));
  await pool.connect('east');
  t.false(pool.isDormant('east'));
  t.deepEqual(opened, ['here']);
});

test('what a session says of itself is told only where it is valid, and a failure is logged once', async (t) => {
  const credentials = { source: 'role', expires_at: null, renewed: true };
  const errors: string[] = [];
  const log = { ...silentLog, error: (_: unknown, message: string) => void errors.push(message) };
  let answer: () => unknown = () => ({ rates: [], credentials });
  const type = { type: 'fake', connect: async () => ({}), state: () => answer() };
  const instance = { name: 'east', type: 'fake', enabled: true, config: {} };
  const parts = { data_directory: '', installation: 'i', clock: new FakeClock(), log, apis: [], schemes: [] };
  const pool = new SessionPool(
    { ...parts, instances: [instance as never], types: [type as never] },
    new AbortController().signal,
  );
  const { state } = await pool.connect('east');
  t.deepEqual(state(), { rates: [], credentials });
  answer = () => {
    throw new Error('Oh.');
  };
  t.deepEqual([state(), state()], [undefined, undefined]);
  t.deepEqual(errors, ["The state of 'east' threw a value that is no ProviderFault. This is a bug of the plugin."]);
});

test('pauses are told with their reason and their end, until they ended', async (t) => {
  const clock = new FakeClock();
  const quarantine = new Quarantine(clock, [
    { name: 'east', ms: 60_000, why: 'It hung.' },
    { name: 'east', template_id: 'small', ms: 90_000, why: 'It ended the thread.' },
    { name: 'west', ms: 60_000, why: 'It hung too.' },
  ]);
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  t.deepEqual(quarantine.pauses('east'), {
    quarantine: { why: 'It hung.', until: at(60_000) },
    quarantined_templates: [{ template_id: 'small', why: 'It ended the thread.', until: at(90_000) }],
  });
  await clock.advance(60_000);
  t.deepEqual(quarantine.pauses('east'), {
    quarantined_templates: [{ template_id: 'small', why: 'It ended the thread.', until: at(30_000) }],
  });
  await clock.advance(30_000);
  t.deepEqual(quarantine.pauses('east'), { quarantined_templates: [] });
});

test('an instance with another endpoint is never dormant, and a health check is no use', async (t) => {
  for (const url of ['http://127.0.0.1:9', null]) {
    const { pool } = poolOf(url);
    t.false(pool.isDormant('east'));
    await pool.connectForCheck('east');
    t.is(pool.used('east'), undefined);
    t.is((await pool.connect('east')).identity, 'east');
    t.not(pool.used('east'), undefined);
  }
});
