/**
 * `node test/scenarios/run.ts [--scenario NAME] [--seed S] [--only TEXT] [--turn N] [--verbose]`: every way to have
 * machines × every story under every ready-made scenario of the simulated cloud. Prints what went wrong where, and
 * ends with 1 if something did. `--only` takes the cells whose name contains the text; `--turn` the covering selection
 * that the tests play; `--verbose` tells all that is known of what failed. /
 */
import { parseArgs } from 'node:util';
import { cells, covering } from './cells.ts';
import { runScenario } from './run-scenario.ts';
import { settingOf, settings } from './settings.ts';
import { tableOf } from './table.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    only: { type: 'string', default: '' },
    turn: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const only = values.only;
const all = values.turn === undefined ? cells : covering(Number(values.turn));
const chosen = all.filter(({ id }) => id.includes(only));
const verdicts = new Map<string, Awaited<ReturnType<typeof runScenario>>>();
for (const setting of values.scenario === undefined ? settings : [settingOf(values.scenario)]) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const verdict = await runScenario(setting, chosen, seed);
  verdicts.set(setting.scenario, verdict);
  const used = process.cpuUsage(cpu);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  process.stderr.write(
    `${setting.scenario}: ${seconds(performance.now() - start)}, ${seconds((used.user + used.system) / 1000)} of processor\n`,
  );
  for (const [cell, { wrong, account }] of verdict) {
    for (const each of wrong) process.stderr.write(`  ${cell}: ${each}\n`);
    if (values.verbose) process.stderr.write(`${account}\n`);
  }
}
process.stdout.write(tableOf(chosen, verdicts));
const failed = [...verdicts].filter(([, verdict]) => verdict.size > 0).map(([scenario]) => scenario);
if (failed.length > 0) {
  const narrowed = only === '' ? '' : ` --only ${only}`;
  for (const scenario of failed)
    process.stdout.write(`Failed; again with --scenario ${scenario} --seed ${seed}${narrowed}\n`);
  process.exitCode = 1;
}
