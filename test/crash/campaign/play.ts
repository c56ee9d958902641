import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Simulator } from '../../../plugins/cloud-simulator/server.ts';
import type { Dialect } from '../support/dialect.ts';
import { Caller } from './caller.ts';
import { openGround } from './ground.ts';
import { judge, judgeStore } from './judge.ts';
import { pointOf, told as toldOf, type Attack, type KillPoint, type Schedule } from './kill-point.ts';
import { startLife, type Life } from './life.ts';
import { play as playStory, storiesBy, type Story } from './stories.ts';

export interface PlayOptions {
  readonly seed: number;
  readonly schedule: Schedule;
  /** Which format; by chance when left out. */
  readonly scheduler?: Dialect['scheduler'];
  /** At most so many kills. */
  readonly most: number;
  /** Default: what the seed chooses. */
  readonly stories?: readonly Story[];
  /** Whether the clock of each broker is set forward or back by up to an hour. */
  readonly clock_jumps?: boolean;
}

export interface Report {
  readonly title: string;
  readonly stories: readonly Story[];
  /** Where it was killed, in order. */
  readonly kills: readonly string[];
  readonly wrong: readonly string[];
  /** Everything that is known, when something is wrong. */
  readonly account?: string;
}

/** A broker that does not come to the moment of its death by then has nothing more to do, or waits for something: it is killed as it is. */
const patienceMs = 3_000;
const hourMs = 3_600_000;

/** One cloud and one data directory, callers who go on whatever happens, and brokers that are killed one after the other until the callers have what they want. */
export async function play({ seed, schedule, scheduler, most, stories: given, clock_jumps = false }: PlayOptions): Promise<Report> {
  const ground = await openGround(seed, scheduler);
  const { cloud, directory, chance, faults } = ground;
  const stories = given ?? storiesBy(chance);
  const caller = new Caller(ground.dialect);
  const outputs: string[] = [];
  const kills: string[] = [];
  const wrong: string[] = [];
  let life: Life | undefined;

  async function begin(attack: Attack): Promise<Life> {
    const set_by = clock_jumps ? chance.pick([0, hourMs, -hourMs]) : 0;
    life = startLife(directory, { clock: { ...ground.clock, set_by }, ...attack });
    caller.url = await life.url;
    return life;
  }
  async function end(signal: NodeJS.Signals): Promise<number | string> {
    caller.url = undefined;
    life?.signal(signal);
    const how = (await life?.ended) ?? 0;
    outputs.push(life?.output() ?? '', `--- ${how} ---`);
    return how;
  }

  try {
    const callers = { done: false };
    const telling = Promise.all(stories.map((story, n) => playStory(story, n, caller)));
    const ended = () => (callers.done = true);
    telling.then(ended, ended);
    while (!callers.done && kills.length < most) {
      const point = pointOf(schedule, kills.length);
      const since = cloud.audit().at(-1)?.n ?? 0;
      cloud.setKnobs({ faults: point.at === 'call' ? [deadly(point), ...faults] : faults });
      const born = await begin(point.at === 'commit' ? { commit: point } : {});
      const where = await deathOf(born, point, cloud, since, () => callers.done);
      const how = await end('SIGKILL');
      kills.push(where);
      if (how !== 'SIGKILL') wrong.push(`the broker ended by itself with ${how}`);
    }
    cloud.setKnobs({ faults: [], latency_ms: {} });
    await begin({});
    wrong.push(...(await judge(await telling, caller, cloud, { shared: ground.shared, exact: !clock_jumps })), ...caller.witness.wrong);
    wrong.push(...(await judgeStore(join(directory, 'muster.db'), cloud.ledger())));
    const how = await end('SIGTERM');
    if (how !== 0) wrong.push(`the broker that was asked to end ended with ${how}`);
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    await end('SIGKILL');
  }
  const failed = wrong.length > 0;
  const account = failed ? { account: [ground.account(), ...outputs].join('\n') } : {};
  await ground.close({ keep: failed });
  const title = `seed ${seed}, ${ground.dialect.scheduler}, killed at ${toldOf(schedule)}${clock_jumps ? ', with clocks that jump' : ''}`;
  return { title, stories, kills, wrong, ...account };
}

/** The call is never answered, and its caller dies of that. */
const deadly = ({ nth, effect }: Extract<KillPoint, { at: 'call' }>) => ({ action: '*', nth, effect, then: 'hang' as const });

/** Waits for the moment at which the broker is to die, or for its having died; says where that was. */
async function deathOf(life: Life, point: KillPoint, cloud: Simulator, since: number, over: () => boolean): Promise<string> {
  let dead = false;
  void life.ended.then(() => (dead = true));
  for (const end = performance.now() + patienceMs; performance.now() < end && !over(); ) {
    if (dead) return point.at === 'commit' ? `${point.phase} commit ${point.nth} of ${point.thread}` : 'by itself';
    if (point.at === 'call') {
      const hit = cloud.audit(since).find(({ fault }) => fault === `${point.effect}/hang`);
      if (hit) return `in ${hit.action} (${point.effect}), call ${hit.n}`;
    }
    await wait(5);
  }
  return 'at rest';
}
