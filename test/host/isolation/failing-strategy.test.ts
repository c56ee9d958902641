import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

const plugins = [join(import.meta.dirname, 'failing-strategy.ts'), 'cloud', 'cloud-runinstances', 'storage-memory'];

for (const scheduler of [
  'throwing',
  'silent',
  'no-json',
  'promising',
  'rejecting',
  'without-entries',
  'entries-twice',
])
  test(`a strategy that fails (${scheduler}) is named in the answer, and everything else continues`, async (t) => {
    const broker = await bootBroker({
      storage: 'memory',
      configuration: { plugins: [...plugins, 'default-format'], scheduler },
    });
    t.teardown(() => broker.close());
    const { call } = broker;
    if (!['without-entries', 'entries-twice'].includes(scheduler)) {
      const asked = await call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
      t.is(asked.status, 500);
      t.regex(
        asked.body.detail,
        new RegExp(
          `^Scheduler strategy '${scheduler}' of plugin 'failing-strategy' failed to render the answer \\(requested\\)`,
        ),
      );
    }
    const listed = await call('GET', '/requests/');
    t.is(listed.status, 500);
    t.regex(listed.body.detail, new RegExp(`^Scheduler strategy '${scheduler}'`));
    t.is((await call('GET', '/templates/')).status, 200);
    t.is((await call('GET', '/providers/')).status, 200);
    t.is((await broker.app.inject({ url: '/openapi.json' })).statusCode, 200);
  });

test('a strategy that fails where it is asked whether a file is its own is named in a finding, and the file is read by another', async (t) => {
  const broker = await bootBroker({ storage: 'memory', configuration: { plugins: [...plugins, 'default-format'] } });
  t.teardown(() => broker.close());
  const { body, status } = await broker.call('POST', '/templates/refresh');
  t.is(status, 200);
  t.regex(body.message, /strategy 'reading' failed to check whether .*: lost for words/);
  t.is((await broker.call('GET', '/templates/small')).status, 200);
});
