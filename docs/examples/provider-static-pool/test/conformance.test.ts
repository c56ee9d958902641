import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testProvider } from 'muster/plugin-testkit';
import plugin from '../index.ts';
import { Leases } from '../leases.ts';

const hosts = Array.from({ length: 12 }, (_, n) => ({
  name: `host-${n}`,
  address: `10.0.0.${n}`,
  labels: { rack: n < 10 ? 'north' : 'south' },
}));

function others(pool: string, work: (leases: Leases) => unknown): void {
  const leases = new Leases(new DatabaseSync(pool));
  work(leases);
  leases.close();
}

// A check that closes its world early still calls the plugin, which creates its files again.
const root = mkdtempSync(join(tmpdir(), 'pool-'));
after(() => rmSync(root, { recursive: true }));

testProvider({
  test,
  plugin,
  open() {
    const directory = mkdtempSync(join(root, 'one-'));
    const pool = join(directory, 'pool.db');
    new Leases(new DatabaseSync(pool)).close();
    return { directory, config: { pool, hosts }, template: { host_labels: { rack: 'north' } } };
  },
  // Another broker leases the hosts that shall be missing.
  faults: { capacity: ({ config }) => void others(config.pool, (leases) => leases.take('others', 10, hosts, 0)) },
  room: ({ config }, machines) => void others(config.pool, (leases) => leases.take('others', 10 - machines, hosts, 0)),
  endMachine({ config }, machine_id) {
    const [name = '', number] = machine_id.split('.');
    others(config.pool, (leases) =>
      leases.giveBack({ name, number: Number(number), address: '', taken_at: 0, returned_at: null }, Date.now()),
    );
  },
  close: ({ directory }) => rmSync(directory, { recursive: true, force: true }),
  // Reads the file directly, without the plugin.
  living({ config }) {
    const database = new DatabaseSync(config.pool);
    try {
      return database
        .prepare("SELECT name || '.' || number AS id FROM lease WHERE returned_at IS NULL AND token <> 'others'")
        .all()
        .map(({ id }) => String(id));
    } finally {
      database.close();
    }
  },
});
