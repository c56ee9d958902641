import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testProvider } from 'muster/plugin-testkit';
import plugin from '../index.ts';
import { living } from './living.ts';

// A check that closes its world early still calls the plugin, which creates its files again.
const root = mkdtempSync(join(tmpdir(), 'processes-'));
after(() => rmSync(root, { recursive: true }));

testProvider({
  test,
  plugin,
  open() {
    const directory = mkdtempSync(join(root, 'one-'));
    const config = { directory, max_processes: 8, stop_grace_ms: 500 };
    return { directory, config, template: { command: 'sleep', args: ['60'] } };
  },
  close({ directory }) {
    for (const { pid } of living(directory)) process.kill(-pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  },
  living: ({ directory }) => living(directory).map(({ machine_id }) => machine_id),
  endMachine({ directory }, machine_id) {
    for (const { pid, machine_id: id } of living(directory)) if (id === machine_id) process.kill(-pid, 'SIGKILL');
  },
  // Each machine is a process: the other test file has the tests that need several.
  machine_count: 1,
});
