import test from 'ava';
import { silentLog } from '../../../../core/index.ts';
import { SessionPool } from '../../../../core/providers/guard/session-pool.ts';
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
