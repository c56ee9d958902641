import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import plugin from '../../plugins/storage-sqlite/index.ts';
import { execCli } from '../support/run-cli.ts';
import { makePlace, startBroker, until, type Place, type StartedBroker } from '../support/boot-broker.ts';

/** How long nothing can be written. Beyond 15 s the loop loses its claims meanwhile: `MUSTER_TEST_HOLD_MS=40000`. */
const holdMs = Number(process.env['MUSTER_TEST_HOLD_MS'] ?? 700);

/** A way to keep a running broker from writing its database. */
interface Hindrance {
  /** Makes it so, and says how to end it; undefined where the system does not allow it. */
  begin(broker: StartedBroker, database: string): (() => void) | undefined;
  /** What callers are told. */
  readonly says: RegExp;
}

const run = (command: string, ...args: readonly string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/**
 * The process may not write beyond the first page of any file: what a quota or a bound of the service manager does.
 */
const bounded: Hindrance = {
  begin({ pid }) {
    const bound = (bytes: string) => run('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`);
    return bound('4096') ? () => void bound('unlimited') : undefined;
  },
  says: /muster\.db cannot serve: reading or writing failed \(disk I\/O error, SQLITE_IOERR_WRITE; \d+ KiB are free there\)\. Check .*continues by itself\.$/,
};

/** Nobody may change the log, not even who has it open. */
const readOnly: Hindrance = {
  begin(_, database) {
    return run('chattr', '+i', `${database}-wal`) ? () => void run('chattr', '-i', `${database}-wal`) : undefined;
  },
  says: bounded.says,
};

/** Whatever room there was is taken. */
const full: Hindrance = {
  begin(_, database) {
    const file = join(database, '..', 'filler');
    try {
      for (const size of [65_536, 4_096, 512])
        for (let i = 0; i < 1_000; i++) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      return () => rmSync(file);
    }
    rmSync(file);
    return undefined;
  },
  says: /muster\.db cannot serve: the disk is full; \d+ KiB are free there\. Free some space; muster continues by itself\.$/,
};

const calls =
  ({ url }: StartedBroker) =>
  async (method: string, path: string, body?: object) => {
    const json = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {};
    const answer = await fetch(`${url}${path}`, { method, ...json });
    return {
      status: answer.status,
      retry_after: answer.headers.get('retry-after'),
      body: (await answer.json()) as any,
    };
  };

async function survives(t: ExecutionContext, place: Place, hindrance: Hindrance, database: string): Promise<void> {
  const broker = await startBroker({
    place,
    env: { MUSTER_DATA_DIR: join(place.directory, 'data'), MUSTER_STORAGE_PATH: database },
  });
  try {
    const call = calls(broker);
    const ask = (template_id: string) => call('POST', '/api/v1/machines/request', { template_id, machine_count: 3 });
    const acknowledged: string[] = [];
    const take = async (template_id: string) => {
      const { status, body } = await ask(template_id);
      t.is(status, 200);
      acknowledged.push(body.request_id);
      return body.request_id as string;
    };
    const seen = async (id: string) => (await call('GET', `/api/v1/requests/${id}/status`)).body;
    const ended = (id: string) => until(async () => (await seen(id)).status === 'completed');

    const first = await take('small');
    await ended(first);
    const { machines } = await seen(first);
    // Under way at the moment when nothing can be written any more: requests, and a return.
    await Promise.all([take('small'), take('fleet')]);
    const returned = machines.slice(0, 1).map((each: any) => each.machine_id);
    const { body: giving } = await call('POST', '/api/v1/machines/return', { machine_ids: returned });
    const end = hindrance.begin(broker, database);
    if (!end) {
      t.log('Skipped: this system does not allow it.');
      return;
    }
    try {
      const told = broker.output.stderr.length;
      for (let since = performance.now(); performance.now() - since < holdMs; await wait(40)) {
        const refused = await ask('small');
        t.is(refused.status, 503);
        t.is(refused.retry_after, '5');
        t.regex(refused.body.detail, hindrance.says);
        t.is((await seen(first)).request_id, first);
        t.is((await call('GET', '/api/v1/requests/')).status, 200);
      }
      const ready = await call('GET', '/readyz');
      t.is(ready.status, 503);
      t.regex(ready.body.checks.storage.message, hindrance.says);
      t.is((await call('GET', '/livez')).status, 200);
      const lines = broker.output.stderr.slice(told).trim().split('\n');
      t.true(lines.length <= 6 + holdMs / 2_000, `${lines.length} lines in ${holdMs} ms:\n${lines.join('\n')}`);
      t.true(
        lines.some((line) => line.includes('The storage does not serve the loop')) || holdMs < 2_000,
        lines.join('\n'),
      );
    } finally {
      end();
    }
    await until(async () => (await call('GET', '/readyz')).status === 200);
    acknowledged.push((await ask('fleet')).body.request_id);
    await Promise.all([...acknowledged, giving.request_id].map(ended));
    await compare(t, place, acknowledged, returned, call);
    t.regex(broker.output.stderr, /The database can be written again/);
  } finally {
    await broker.stop();
  }
  const check = await plugin.storages?.[0]?.check?.({ path: database });
  t.deepEqual(check?.findings, []);
}

/** What the broker says, what the cloud has, and what was acknowledged are the same. */
async function compare(
  t: ExecutionContext,
  { simulator }: Place,
  acknowledged: readonly string[],
  returned: readonly string[],
  call: ReturnType<typeof calls>,
): Promise<void> {
  const { live, untagged, launches } = simulator.ledger();
  for (const id of acknowledged) {
    const { body } = await call('GET', `/api/v1/requests/${id}/status`);
    const alive = body.machines.filter((each: any) => each.status === 'running').map((each: any) => each.machine_id);
    t.deepEqual(alive.toSorted(), (live[id] ?? []).toSorted());
    t.is(alive.length, id === acknowledged[0] ? 3 - returned.length : 3);
  }
  t.deepEqual(untagged, []);
  t.deepEqual(
    Object.keys(live).filter((id) => !acknowledged.includes(id)),
    [],
  );
  t.deepEqual(
    Object.values(launches).toSorted(),
    acknowledged.map(() => 3),
    'machines started under each token',
  );
  const { body } = await call('GET', '/api/v1/requests/?limit=1000');
  t.deepEqual(
    body.requests
      .map((each: any) => each.request_id)
      .filter((id: string) => id.startsWith('req-') && !acknowledged.includes(id)),
    [],
    'what was refused left nothing',
  );
}

const slow = { boot_ms: 300, shutdown_ms: 300, latency_ms: { RunInstances: 150, CreateFleet: 150 } };

test('a limit on the size of files refuses every write and loses nothing, and work continues when the limit is lifted', async (t) => {
  const place = await makePlace({ knobs: slow });
  await survives(t, place, bounded, join(place.directory, 'data', 'muster.db'));
  await place.close();
});

test('a read-only log refuses every write and loses nothing, and work continues when the log is writable again', async (t) => {
  const place = await makePlace({ knobs: slow });
  const database = join(place.directory, 'data', 'muster.db');
  await survives(t, place, readOnly, database);
  await place.close();
});

test('a full disk refuses every write and loses nothing, and work continues when there is space; a read-only disk refuses the start', async (t) => {
  const place = await makePlace({ knobs: slow });
  const disk = join(place.directory, 'disk');
  mkdirSync(disk);
  try {
    if (!run('mount', '-t', 'tmpfs', '-o', 'size=3m', 'none', disk)) {
      t.log('Skipped: no file system can be mounted here.');
      return t.pass();
    }
    const database = join(disk, 'muster.db');
    await survives(t, place, full, database);
    if (run('mount', '-o', 'remount,ro', disk)) {
      const env = { MUSTER_DATA_DIR: join(place.directory, 'data'), MUSTER_STORAGE_PATH: database };
      const { code, err } = await execCli(['server', 'start', '--foreground', '--port', '0'], {
        cwd: place.directory,
        env,
      });
      t.is(code, 5);
      t.regex(err, /^muster: The database .*disk\/muster\.db .*read-only.*writable/m);
      t.false(err.includes('    at '), 'no stack');
    }
  } finally {
    if (existsSync(disk)) run('umount', disk);
    await place.close();
  }
});
