import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { createSimulator, type Simulator } from '../../../plugins/cloud-simulator/server.ts';
import { dialects } from '../support/dialect.ts';
import { dice, type Dice } from '../support/dice.ts';
import { Caller } from './caller.ts';
import { fastNow } from './fast-clock.ts';
import { judge, judgeStore } from './judge.ts';
import { pointOf, threads, told as toldOf, type Attack, type KillPoint, type Schedule } from './kill-point.ts';
import { startLife, type Life } from './life.ts';
import { play as playStory, storiesBy, type Story } from './stories.ts';
import { capacity, templates } from './ways.ts';

export interface PlayOptions {
  readonly seed: number;
  readonly schedule: Schedule;
  /** Which format; by chance when left out. */
  readonly scheduler?: 'default' | 'hostfactory';
  /** At most so many kills. */
  readonly most: number;
  /** Default: what the seed chooses. */
  readonly stories?: readonly Story[];
}

export interface Report {
  readonly title: string;
  readonly stories: readonly Story[];
  /** Where it was killed, in order. */
  readonly kills: readonly string[];
  /** Calls that the cloud met, and commits of the last broker by thread. */
  readonly calls: number;
  readonly wrong: readonly string[];
  /** Everything that is known, when something is wrong. */
  readonly account?: string;
}

/** The times that AWS needs pass in seconds: the intervals of the life cycle are those that everybody has. */
const times = 20;
/** A broker that does not come to the moment of its death by then has nothing more to do, or waits for something: it is killed as it is. */
const patienceMs = 3_000;
const keys = { access_key_id: 'AKIACRASH', secret_access_key: 'crash' };

/** One cloud and one data directory, callers who go on whatever happens, and brokers that are killed one after the other until the callers have what they want. */
export async function play({ seed, schedule, scheduler, most, stories: given }: PlayOptions): Promise<Report> {
  const chance = dice(seed);
  const by = chance.pick(dialects);
  const dialect = dialects.find((each) => each.scheduler === scheduler) ?? by;
  const chosen = storiesBy(chance);
  const stories = given ?? chosen;
  const { faults = [], ...knobs } = troublesBy(chance);
  const shared = chance.roll(2) === 0;
  const directory = mkdtempSync(join(tmpdir(), 'muster-play-'));
  const clock = { from: Date.now(), times };
  const time = { now: () => fastNow(clock, Date.now()), advance: () => undefined, reset: () => undefined };
  const cloud = createSimulator({ clock: time, seed, knobs: { ...knobs, capacity } });
  await cloud.listen();
  const provider = (name: string, region: string) => ({
    name,
    type: 'cloud',
    priority: name === 'east' ? 1 : 2,
    config: { endpoint_url: cloud.url, region, ...keys, launch_template: { reuse_existing: shared } },
  });
  writeFileSync(
    join(directory, 'muster.config.json'),
    JSON.stringify({
      scheduler: dialect.scheduler,
      providers: [provider('east', 'us-east-1'), provider('west', 'eu-west-1')],
      server: { rate_limit: { enabled: false } },
    }),
  );
  writeFileSync(join(directory, 'templates.json'), JSON.stringify(templates));
  const caller = new Caller(dialect);
  const outputs: string[] = [];
  const kills: string[] = [];
  const wrong: string[] = [];
  let life: Life | undefined;

  async function begin(attack: Attack): Promise<Life> {
    life = startLife(directory, { clock, ...attack });
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
    let over = false;
    const telling = Promise.all(stories.map((story, n) => playStory(story, n, caller)));
    telling.then(
      () => (over = true),
      () => (over = true),
    );
    while (!over && kills.length < most) {
      const point = pointOf(schedule, kills.length);
      const since = cloud.audit().at(-1)?.n ?? 0;
      cloud.setKnobs({ faults: point.at === 'call' ? [deadly(point), ...faults] : faults });
      const born = await begin(point.at === 'commit' ? { commit: point } : {});
      const where = await deathOf(born, point, cloud, since, () => over);
      const how = await end('SIGKILL');
      kills.push(where);
      if (how !== 'SIGKILL') wrong.push(`the broker ended by itself with ${how}`);
    }
    cloud.setKnobs({ faults: [], latency_ms: {} });
    await begin({ counts: join(directory, 'commits') });
    wrong.push(...(await judge(await telling, caller, cloud, shared)), ...caller.witness.wrong);
    wrong.push(...(await judgeStore(join(directory, 'muster.db'), cloud.ledger())));
    const how = await end('SIGTERM');
    if (how !== 0) wrong.push(`the broker that was asked to end ended with ${how}`);
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    await end('SIGKILL');
  }
  const entries = cloud.audit();
  const account =
    wrong.length === 0
      ? undefined
      : [`directory ${directory} (kept)`, JSON.stringify(cloud.ledger()), ...entries.map((each) => JSON.stringify(each)), ...outputs].join(
          '\n',
        );
  await cloud.close();
  if (wrong.length === 0) rmSync(directory, { recursive: true, force: true });
  const title = `seed ${seed}, ${dialect.scheduler}, killed at ${toldOf(schedule)}`;
  return { title, stories, kills, calls: entries.at(-1)?.n ?? 0, wrong, ...(account === undefined ? {} : { account }) };
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

function troublesBy(chance: Dice): KnobChange {
  const actions = ['RunInstances', 'CreateFleet', 'TerminateInstances', 'ModifyFleet', 'DescribeInstances'];
  const trouble = chance.roll(2) === 0;
  const faulty = { action: chance.pick(actions), nth: 1 + chance.roll(4), times: 1 + chance.roll(2) };
  return {
    boot_ms: chance.pick([2_000, 10_000]),
    shutdown_ms: chance.pick([1_000, 8_000]),
    visible_ms: { id: chance.pick([0, 3_000]), filter: chance.pick([0, 5_000]), tag: chance.pick([0, 8_000]) },
    latency_ms: Object.fromEntries(actions.map((action) => [action, chance.pick([0, 0, 50, 200])])),
    faults: trouble
      ? [{ ...faulty, effect: chance.pick(['execute', 'skip'] as const), then: chance.pick(['drop', 'cut', 'html', 'error'] as const) }]
      : [],
  };
}

/** How often each thread of the last broker committed. */
export function commitsIn(file: string): Readonly<Record<string, number>> {
  return Object.fromEntries(threads.map((thread) => [thread, Number(readFileSync(`${file}.${thread}`, 'utf8'))]));
}
