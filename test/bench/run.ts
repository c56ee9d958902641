/** `npm run bench`: measures the broker against bare servers in the same run. See docs/guides/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { postWithBudgets } from './lines/budgets.ts';
import { bigRequest } from './lines/big-request.ts';
import { cloudImport } from './lines/cloud-import.ts';
import { cloudReturn } from './lines/cloud-return.ts';
import { cloudSteady } from './lines/cloud-steady.ts';
import { cloudSweep } from './lines/cloud-sweep.ts';
import { cloudThousand } from './lines/cloud-thousand.ts';
import { hostileCalls } from './lines/hostile-calls.ts';
import type { Line } from './lines/line.ts';
import { openLoop } from './lines/open-loop.ts';
import { paging } from './lines/paging.ts';
import { postgres } from './lines/postgres.ts';
import { reads } from './lines/reads.ts';
import { returnsOfABigRequest } from './lines/returns-of-a-big-request.ts';
import { selection } from './lines/selection.ts';
import { simulatedHour, simulator } from './lines/simulator.ts';
import { idle, start } from './lines/start.ts';
import { streamsThousand } from './lines/streams.ts';
import { telemetry } from './lines/telemetry.ts';
import { tenThousand } from './lines/ten-thousand.ts';
import { threeBrokers } from './lines/three-brokers.ts';
import { writes } from './lines/writes.ts';
import { stopAll } from './processes/child.ts';
import { clearWorkplaces } from './processes/workplace.ts';
import type { Row } from './report/row.ts';
import { table } from './report/table.ts';

const lines: readonly Line[] = [
  start,
  idle,
  reads,
  paging,
  selection,
  hostileCalls,
  writes,
  postWithBudgets,
  telemetry,
  postgres,
  threeBrokers,
  tenThousand,
  openLoop,
  streamsThousand,
  bigRequest,
  returnsOfABigRequest,
  cloudImport,
  cloudThousand,
  cloudReturn,
  cloudSteady,
  cloudSweep,
  simulator,
  simulatedHour,
];
const names = lines.flatMap((line) => line.names);
const results = join(import.meta.dirname, '../../bench-results.json');

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});
const unknown = values.only?.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no line '${unknown}'; known: ${names.join(', ')}.\n`);
  process.exit(2);
}
const wanted = (name: string): boolean => values.only?.includes(name) ?? true;
// Both sides of a comparison are loaded in turn, for a short time each: the speed of a shared computer changes within
// seconds, and the median of many ratios does not follow it.
const effort = values.quick ? { quick: true, rounds: 5, seconds: 1 } : { quick: false, rounds: 15, seconds: 1 };

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void clear().then(() => process.exit(1)));
const rows: Row[] = [];
try {
  for (const line of lines) {
    if (line.slow && effort.quick && values.only === undefined) continue;
    if (line.names.some(wanted)) await line.run(effort, wanted, tell);
  }
} finally {
  await clear();
}
process.stderr.write('\n');
process.stdout.write(`${table(rows)}\n`);
const about = {
  at: new Date().toISOString(),
  node: process.version,
  processors: cpus().length,
  model: cpus()[0]?.model,
  quick: effort.quick,
};
writeFileSync(results, `${JSON.stringify({ ...about, rows }, null, 2)}\n`);

if (rows.some(({ targets }) => targets.some(({ met }) => !met))) process.exitCode = 1;

function tell(row: Row): void {
  rows.push(row);
  process.stderr.write(`${row.title} … `);
}

async function clear(): Promise<void> {
  await stopAll();
  clearWorkplaces();
}
