import test from 'ava';
import { type Cell, covering } from './cells.ts';
import { runScenario } from './run-scenario.ts';
import { settingOf } from './settings.ts';

const seed = 1;

/** A test that plays cells under a scenario, one scenario after the other. */
export function play(scenario: string, cells: readonly Cell[], again: string): void {
  test.serial(
    `${scenario}: ${cells.length} ways to have and to give back machines end without one too many or too few`,
    async (t) => {
      t.timeout(600_000);
      const found = await runScenario(settingOf(scenario), cells, seed);
      for (const [cell, { account }] of found) t.log(cell, account);
      t.deepEqual(
        Object.fromEntries([...found].map(([cell, { wrong }]) => [cell, wrong])),
        {},
        `npm run scenarios -- --scenario ${scenario} --seed ${seed}${again}`,
      );
    },
  );
}

/** The covering selection of a turn, for each of several scenarios. */
export function playSome(turns: Readonly<Record<string, number>>): void {
  for (const [scenario, turn] of Object.entries(turns)) play(scenario, covering(turn), ` --turn ${turn}`);
}
