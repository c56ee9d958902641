import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { living } from '../../docs/examples/provider-processes/test/living.ts';
import { startBroker, until, type Place } from '../support/boot-broker.ts';

const examples = join(import.meta.dirname, '../../docs/examples');
const ownName = join(import.meta.dirname, '../../config/plugins/self-reference-register.ts');
const names = ['format-csv', 'provider-processes', 'provider-static-pool'];

for (const name of [...names, 'storage-journal']) {
  test.serial(`the example ${name} passes its own tests, run as a user of the package runs them`, async (t) => {
    const files = globSync('test/*.test.ts', { cwd: join(examples, name) });
    const args = ['--import', ownName, '--test', '--test-isolation=none', '--test-reporter=spec', ...files];
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile(process.execPath, args, { cwd: join(examples, name) }, (error, out) =>
        resolve({ code: error ? error.code : 0, out }),
      );
    });
    t.is(code, 0, out);
    t.regex(out, /pass [1-9]/);
  });
}

/** The rows of a table, by column; none of the texts here needs quotes. */
function rowsOf(table: string): readonly Record<string, string>[] {
  const [names = [], ...rows] = table
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column] ?? ''])));
}

test.serial(
  'a broker with all three of them lends processes and hosts, reports them in CSV, and survives a kill',
  async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'muster-examples-'));
    const processes = join(directory, 'data', 'processes');
    t.teardown(() => {
      for (const { pid } of living(processes)) process.kill(-pid, 'SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    });
    const configuration = {
      plugins: ['storage-sqlite', 'default-format', ...names.map((name) => join(examples, name))],
      scheduler: 'csv',
      providers: [
        { name: 'here', type: 'processes', config: { stop_grace_ms: 500 } },
        {
          name: 'lab',
          type: 'static-pool',
          config: { hosts: [{ name: 'rack-1', address: '10.0.0.1', labels: { gpu: 'yes' } }] },
        },
      ],
    };
    const templates = [
      { template_id: 'worker', provider_type: 'processes', command: 'sleep', args: ['300'] },
      { template_id: 'gpu', provider_type: 'static-pool', host_labels: { gpu: 'yes' } },
    ];
    writeFileSync(join(directory, 'muster.config.json'), JSON.stringify(configuration));
    writeFileSync(join(directory, 'templates.json'), JSON.stringify(templates));
    const start = () => startBroker({ place: { directory, close: async () => {} } as Place });
    let broker = await start();
    t.teardown(() => broker.stop());
    const call = async (path: string, body?: object) => {
      const json = body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      };
      const answer = await fetch(`${broker.url}/api/v1${path}`, json);
      t.is(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
      return rowsOf(await answer.text());
    };
    const ask = async (template_id: string, machine_count: number) =>
      (await call('/machines/request', { template_id, machine_count }))[0]?.['request_id'];
    const ended = (id: string | undefined) =>
      until(async () => {
        const rows = await call(`/requests/${id}/status`);
        return rows[0]?.['request_status'] === 'completed' && rows;
      });

    const [workers, gpu] = [await ask('worker', 2), await ask('gpu', 1)];
    const before = await ended(workers);
    t.deepEqual(
      (await ended(gpu)).map(({ machine_id, name, private_ip }) => [machine_id, name, private_ip]),
      [['rack-1.1', 'rack-1', '10.0.0.1']],
    );
    const there = living(processes);
    t.deepEqual(
      there.map(({ machine_id }) => machine_id).toSorted(),
      before.map(({ machine_id }) => machine_id).toSorted(),
    );
    t.is(there.length, 2);

    t.is(await broker.kill('SIGKILL'), 'SIGKILL');
    t.deepEqual(living(processes), there);
    broker = await start();
    const machine_ids = (await ended(workers)).map(({ machine_id }) => machine_id);
    t.deepEqual(
      machine_ids,
      before.map(({ machine_id }) => machine_id),
    );
    const [back] = await call('/machines/return', { machine_ids: [...machine_ids, 'rack-1.1'] });
    t.true((await ended(back?.['request_id'])).every(({ machine_status }) => machine_status === 'terminated'));
    t.deepEqual(living(processes), []);

    t.is((await ended(await ask('gpu', 1)))[0]?.['machine_id'], 'rack-1.2');
    t.deepEqual((await call('/requests/')).map(({ kind, status }) => `${kind} ${status}`).toSorted(), [
      'provision completed',
      'provision completed',
      'provision completed',
      'return completed',
    ]);
  },
);
