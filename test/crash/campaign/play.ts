import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import type { Dialect } from '../support/dialect.ts';
import { Caller } from './caller.ts';
import { openGround } from './ground.ts';
import { judge } from './judge.ts';
import { judgeStore, sqliteAt } from './judge-store.ts';
import { pointOf, told as toldOf, type Attack, type KillPoint, type Schedule } from './kill-point.ts';
import { watchLedger } from './ledger-watch.ts';
import { startLife, type Life } from './life.ts';
import { play as playStory, scarceFor, storiesBy, type Size, type Story } from './stories.ts';
import { capacityOf } from './ways.ts';

export interface PlayOptions {
  readonly seed: number;
  readonly schedule: Schedule;
  /** Which format; by chance when left out. */
  readonly scheduler?: Dialect['scheduler'];
  /** How many machines are asked for. Default `small`. */
  readonly size?: Size;
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

/**
 * A broker that does not come to the moment of its death by then has nothing more to do, or waits for something: it is
 * killed as it is. In the time of the play.
 */
const patienceMs = 60_000;
/** As long as a request waits for machines. */
const timeoutMs = 3_600_000;
/** On the computer's clock, where it has much else to do: until a broker answers. */
const startMs = 60_000;
/** What is agreed on by then. */
const agreementMs = 500_000;
const answerMs = 80_000;
const hourMs = 3_600_000;

/**
 * One cloud and one data directory, callers who go on whatever happens, and brokers that are killed one after the
 * other until the callers have what they want.
 */
export async function play(options: PlayOptions): Promise<Report> {
  const { seed, schedule, scheduler, size = 'small', most, stories: given, clock_jumps = false } = options;
  const ground = await openGround(seed, scheduler, size);
  const { cloud, directory, chance, faults } = ground;
  const stories = given ?? storiesBy(chance, size);
  cloud.setKnobs({ capacity: capacityOf(scarceFor(stories)) });
  const caller = new Caller(ground.dialect, {
    patience_ms: ground.real(timeoutMs) + most * startMs,
    answer_ms: ground.real(answerMs),
  });
  using watch = watchLedger(cloud, caller.book);
  const standard = { shared: ground.shared, exact: !clock_jumps, within_ms: ground.real(agreementMs) };
  const outputs: string[] = [];
  const kills: string[] = [];
  const wrong: string[] = [];
  let life: Life | undefined;

  async function begin(attack: Attack): Promise<Life> {
    const set_by = clock_jumps ? chance.pick([0, hourMs, -hourMs]) : 0;
    life = startLife(directory, { clock: { ...ground.clock, set_by }, ...attack });
    const url = await life.url;
    caller.urls = () => (url === undefined ? [] : [url]);
    return life;
  }
  async function end(signal: NodeJS.Signals): Promise<number | string> {
    caller.urls = () => [];
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
      const born = await begin(point.at === 'commit' ? { commit: point } : point.at === 'part' ? { part: point } : {});
      const where = await deathOf(born, point, cloud, {
        since,
        patience_ms: ground.real(patienceMs),
        over: () => callers.done,
      });
      const how = await end('SIGKILL');
      kills.push(where);
      if (how !== 'SIGKILL') wrong.push(`the broker ended by itself with ${how}`);
    }
    cloud.setKnobs({ faults: [], latency_ms: {} });
    await begin({});
    wrong.push(...(await judge(await telling, caller, cloud, standard)), ...caller.witness.wrong);
    wrong.push(...(await judgeStore(sqliteAt(join(directory, 'muster.db')), cloud.ledger(), standard)));
    const how = await end('SIGTERM');
    if (how !== 0) wrong.push(`the broker that was asked to end ended with ${how}`);
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    await end('SIGKILL');
  }
  if (standard.exact) wrong.push(...watch.wrong());
  const failed = wrong.length > 0;
  const account = failed ? { account: [ground.account(), ...outputs].join('\n') } : {};
  await ground.close({ keep: failed });
  const title = `seed ${seed}, ${size}, ${ground.dialect.scheduler}, killed at ${toldOf(schedule)}${clock_jumps ? ', with clocks that jump' : ''}`;
  return { title, stories, kills, wrong, ...account };
}

/** The call is never answered, and its caller dies of that. */
const deadly = ({ nth, effect }: Extract<KillPoint, { at: 'call' }>) => ({
  action: '*',
  nth,
  effect,
  then: 'hang' as const,
});

interface Waiting {
  /** The number of the last call before its life. */
  readonly since: number;
  readonly patience_ms: number;
  readonly over: () => boolean;
}

/** Waits for the moment at which the broker is to die, or for its having died; says where that was. */
async function deathOf(
  life: Life,
  point: KillPoint,
  cloud: Simulator,
  { since, patience_ms, over }: Waiting,
): Promise<string> {
  let dead = false;
  void life.ended.then(() => (dead = true));
  for (const end = performance.now() + patience_ms; performance.now() < end && !over(); ) {
    if (dead && point.at === 'commit') return `${point.phase} commit ${point.nth} of ${point.thread}`;
    if (dead) return point.at === 'part' ? `${point.phase} part ${point.nth}` : 'by itself';
    if (point.at === 'call') {
      const hit = cloud.audit(since).find(({ fault }) => fault === `${point.effect}/hang`);
      if (hit) return `in ${hit.action} (${point.effect}), call ${hit.n}`;
    }
    await wait(5);
  }
  return 'at rest';
}
