import test from 'ava';
import pLimit from 'p-limit';
import type { KnobChange } from './cloud.ts';
import { compare, type Expected } from './compare.ts';
import type { Dialect } from './dialect.ts';
import { Stage } from './stage.ts';
import { templates } from './templates.ts';

/** Each scenario has three processes; more of them at once only wait for the processor. */
const turn = pLimit(3);

export interface Scenario {
  readonly dialect: Dialect;
  readonly knobs?: KnobChange;
  /** Settings of the provider. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Asks, kills, starts anew; answers what must have come of it. */
  play(stage: Stage): Promise<readonly Expected[]>;
}

/**
 * A test on the real broker and a simulated cloud, compared at the end. Where it fails it says what is needed to see
 * why.
 */
export function scenario(title: string, { dialect, knobs = {}, config = {}, play }: Scenario): void {
  test(`${title} (${dialect.scheduler})`, (t) =>
    turn(async () => {
      t.timeout(400_000);
      const stage = await Stage.open({
        dialect,
        templates,
        knobs: { boot_ms: 300, shutdown_ms: 200, ...knobs },
        config,
      });
      let well = false;
      try {
        await compare(stage, await play(stage));
        well = true;
        t.pass();
      } finally {
        if (!well) t.log(await stage.account().catch(String));
        await stage.close({ keep: !well });
      }
    }));
}
