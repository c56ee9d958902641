import { readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { bootBroker, makePlace } from '../../../support/boot-broker.ts';
import { runCli } from '../../../support/run-cli.ts';

test('what is stored is checked and copied beside a broker at work, the copy is checked and restored, and damage ends with 4', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const config = ['--config', join(place.directory, 'muster.config.json')];
  const booted = await bootBroker({ place });
  t.teardown(() => booted.close());
  const { body } = await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
  const detail = async () => (await booted.call('GET', `/requests/${body.request_id}/status`)).body;
  await booted.until(async () => (await detail()).status === 'completed');
  const costless = ({ machines }: { readonly machines: readonly { readonly cost: unknown }[] }) =>
    machines.map((each) => ({ ...each, cost: 'grows with the time' }));
  const machines = costless(await detail());
  t.is(machines.length, 2);

  const shown = await runCli(['storage', 'check', ...config]);
  t.is(shown.code, 0, shown.err);
  t.regex(shown.out, /^valid +true$/m);
  t.regex(shown.out, /^records\.machine +2$/m);
  const file = join(place.directory, 'copy.db');
  const backup = await runCli(['storage', 'backup', file, ...config, '--output', 'json']);
  t.is(backup.code, 0, backup.err);
  t.like(JSON.parse(backup.out), { file, size_bytes: statSync(file).size, check: { valid: true, findings: [] } });
  await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const again = await runCli(['storage', 'backup', file, ...config]);
  t.is(again.code, 4);
  t.regex(again.err, /exists already.*--force/);
  const copy = readFileSync(file);
  const checked = await runCli(['storage', 'check', '--file', file, ...config, '-o', 'yaml']);
  t.like(parse(checked.out), { valid: true, path: file, records: { request: 1 } });
  t.true(copy.equals(readFileSync(file)));
  await booted.close();

  // The way back, as the guide has it: on another place, with the same cloud.
  const other = await makePlace({ configuration: { storage: { type: 'sqlite', path: file } } });
  t.teardown(() => other.close());
  const restored = await bootBroker({ place: other, loop: 'none' });
  t.teardown(() => restored.close());
  const found = await restored.call('GET', `/requests/${body.request_id}/status`);
  t.deepEqual(costless(found.body), machines);
  await restored.close();

  truncateSync(file, 8 * 4096);
  const damaged = await runCli(['storage', 'check', '--file', file, ...config]);
  t.is(damaged.code, 4);
  t.regex(damaged.out, /^valid +false$/m);
  t.regex(damaged.out, /error +database disk image is malformed/);
  t.is((await runCli(['storage', 'check', '--file', join(place.directory, 'none.db'), ...config])).code, 3);
});

test('a storage is copied to another file, refuses brokers from then on, and is opened again only with force', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const config = ['--config', join(place.directory, 'muster.config.json')];
  const booted = await bootBroker({ place, loop: 'none' });
  const { body } = await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
  await booted.close();
  const file = join(place.directory, 'other.db');
  const copied = await runCli(['storage', 'copy', '--to', file, ...config]);
  t.is(copied.code, 0, copied.err);
  t.regex(copied.out, /^records\.request +1$/m);
  t.regex(copied.err, /name .*other\.db in 'storage'/);
  const refused = await t.throwsAsync(bootBroker({ place, loop: 'none' }));
  t.regex(refused.message, /was copied to .*other\.db.*muster storage reopen --force/);
  const other = await makePlace({ configuration: { storage: { type: 'sqlite', path: file } } });
  t.teardown(() => other.close());
  const moved = await bootBroker({ place: other, loop: 'none' });
  t.is((await moved.call('GET', `/requests/${body.request_id}/status`)).status, 200);
  await moved.close();
  t.is((await runCli(['storage', 'reopen', ...config])).code, 4);
  const reopened = await runCli(['storage', 'reopen', '--force', ...config, '-o', 'json']);
  t.like(JSON.parse(reopened.out), { reopened: true });
  await (await bootBroker({ place, loop: 'none' })).close();
});

test('a storage that keeps nothing in files says that it cannot be checked or copied', async (t) => {
  const place = await makePlace({ storage: 'memory' });
  t.teardown(() => place.close());
  const config = ['--config', join(place.directory, 'muster.config.json')];
  for (const command of [['check'], ['backup', join(place.directory, 'copy.db')]]) {
    const ran = await runCli(['storage', ...command, ...config]);
    t.is(ran.code, 4);
    t.regex(
      ran.err,
      /^muster: The storage 'memory' cannot be (checked|copied): set storage\.type to one that keeps files, such as sqlite\.$/m,
    );
  }
});
