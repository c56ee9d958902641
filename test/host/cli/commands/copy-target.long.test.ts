import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace } from '../../../support/boot-broker.ts';
import { testDatabase } from '../../../support/postgres-database.ts';
import { execCli } from '../../../support/run-cli.ts';

test('the target of a copy may be a configuration whose URL is in MUSTER_STORAGE_TO_URL, and back again', async (t) => {
  const database = await testDatabase();
  t.teardown(() => database.remove());
  const place = await makePlace();
  t.teardown(() => place.close());
  const booted = await bootBroker({ place, loop: 'none' });
  await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
  await booted.close();
  const present = join(place.directory, 'muster.config.json');
  const postgres = join(place.directory, 'postgres.json');
  const sqlite = join(place.directory, 'sqlite.json');
  writeFileSync(postgres, JSON.stringify({ storage: { type: 'postgres', schema: 'moved' } }));
  writeFileSync(sqlite, JSON.stringify({ storage: { type: 'sqlite', path: join(place.directory, 'back.db') } }));
  const copy = (from: string, to: string, env: Readonly<Record<string, string>>) =>
    execCli(['storage', 'copy', '--config', from, '--to-config', to, '-o', 'json'], { cwd: place.directory, env });
  const { url } = database.server;
  const there = await copy(present, postgres, { MUSTER_STORAGE_TO_URL: url });
  t.is(there.code, 0, there.err);
  t.like(JSON.parse(there.out), { copied: true, records: { request: 1 } });
  t.regex(JSON.parse(there.out).to, /schema moved/);
  // The URL of the source says nothing about the target.
  const back = await copy(postgres, sqlite, { MUSTER_STORAGE_URL: url });
  t.is(back.code, 0, back.err);
  t.regex(JSON.parse(back.out).to, /back\.db/);
});
