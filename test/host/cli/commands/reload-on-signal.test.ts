import test from 'ava';
import type { Configuration } from '../../../../config/configuration.ts';
import type { LoadedConfiguration } from '../../../../config/load.ts';
import type { Budget } from '../../../../core/budgets/budget.ts';
import { silentLog } from '../../../../core/index.ts';
import {
  changedParts,
  reloadOnSignal,
  reloadSignal,
} from '../../../../host/cli/commands/server/start/reload-on-signal.ts';
import type { LastReload } from '../../../../host/data-directory/last-reload.ts';
import { until } from '../../../support/boot-broker.ts';

const configuration = (changed: object = {}): Configuration =>
  ({ plugins: [], budgets: [], usage: { tags: [] }, providers: [{ name: 'east' }], ...changed }) as never;

const ten = { name: 'all', match: {}, max_machines: 10 };

test('what changed is told apart by whether it needs a restart', (t) => {
  const parts = (changed: object) => changedParts(configuration(), configuration(changed));
  t.deepEqual(parts({}), { applied: [], needs_restart: [] });
  t.deepEqual(parts({ providers: [{ name: 'east' }] }), { applied: [], needs_restart: [] });
  t.deepEqual(parts({ budgets: [ten], usage: { tags: ['team'] }, providers: [] }), {
    applied: ['budgets'],
    needs_restart: ['usage', 'providers'],
  });
});

test.serial('signals are handled one after the other, and a signal before the server runs waits for it', async (t) => {
  const before = process.listeners(reloadSignal);
  t.teardown(() => {
    for (const each of process.listeners(reloadSignal))
      if (!before.includes(each)) process.removeListener(reloadSignal, each);
  });
  const used: (readonly Budget[])[] = [];
  const told: LastReload[] = [];
  const refused: string[] = [];
  const reads: (() => LoadedConfiguration)[] = [
    () => ({ configuration: configuration({ budgets: [ten] }), findings: [] }) as never,
    () => {
      throw new Error('The file is broken.');
    },
    () => ({ configuration: configuration({ budgets: [ten] }), findings: [] }) as never,
  ];
  const server = Promise.withResolvers<{ useBudgets(budgets: readonly Budget[]): Promise<void> }>();
  reloadOnSignal({
    loaded: { configuration: configuration() } as never,
    log: { ...silentLog, error: (_: object, line: string) => void refused.push(line) } as never,
    server: server.promise,
    load: async () => (reads.shift() as () => LoadedConfiguration)(),
    tell: (outcome) => void told.push(outcome),
  });
  for (let i = 0; i < 3; i += 1) process.emit(reloadSignal, reloadSignal);
  await new Promise((resolve) => void setImmediate(resolve));
  t.deepEqual(told, []);
  server.resolve({ useBudgets: async (budgets) => void used.push(budgets) });
  await until(async () => told.length === 3);
  t.deepEqual(
    told.map(({ applied, error }) => [applied, error]),
    [
      [['budgets'], undefined],
      [[], 'The file is broken.'],
      [[], undefined],
    ],
  );
  t.deepEqual(refused, [
    'The configuration was read again and cannot be used: the server continues with the one that it has. Template files are no part of it, and are read whenever they change. The file is broken.',
  ]);
  t.deepEqual(used, [[{ name: 'all', scope: {}, max_machines: 10 }]]);
});
