import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../../../plugins/cloud-simulator/dispatch/ledger.ts';
import type { Dialect } from '../support/dialect.ts';
import { Caller } from './caller.ts';
import { openGround } from './ground.ts';
import { judge } from './judge.ts';
import { judgeStore, sqliteAt } from './judge-store.ts';
import type { Attack } from './kill-point.ts';
import { startLife, type Life } from './life.ts';
import { play as playStory, scarceFor, storiesBy } from './stories.ts';
import { capacityOf } from './ways.ts';

export interface FrozenOptions {
  readonly seed: number;
  readonly scheduler?: Dialect['scheduler'];
  readonly freezes: FreezePoint;
  /** It thaws in the midst of its successor's work, or when that is done. */
  readonly thaws: 'between' | 'after';
}

export type FreezePoint =
  /** While its n-th call is under way, which took effect or did not; its answer waits for it. */
  | { readonly at: 'call'; readonly nth: number; readonly effect: 'execute' | 'skip' }
  /** When the n-th part of a large change is durable: callers ask for hundreds of machines. */
  | { readonly at: 'part'; readonly nth: number };

export interface FrozenReport {
  readonly title: string;
  /** The call, or the part, that it froze in; undefined: it came to none. */
  readonly frozen_in?: string;
  readonly wrong: readonly string[];
  readonly account?: string;
}

/**
 * In the time of the play, longer than a lease; a pass of the loop and everything that it began; and what a caller
 * waits for.
 */
const [lease, pass, patience, agreement] = [40_000, 50_000, 3_600_000, 500_000];

/**
 * A broker that holds requests is stopped in the midst of a call for longer than its lease; another one takes over on
 * the same store; then the first goes on as if nothing had happened. What the second decided stands.
 */
export async function playFrozen({ seed, scheduler, freezes, thaws }: FrozenOptions): Promise<FrozenReport> {
  const size = freezes.at === 'part' ? 'large' : 'small';
  const ground = await openGround(seed, scheduler, size);
  const { cloud, directory, clock } = ground;
  const stories = storiesBy(ground.chance, size);
  cloud.setKnobs({ capacity: capacityOf(scarceFor(stories)) });
  const [leaseMs, passMs] = [ground.real(lease), ground.real(pass)];
  const caller = new Caller(ground.dialect, { patience_ms: ground.real(patience), answer_ms: 2 * leaseMs });
  const standard = { shared: ground.shared, exact: true, within_ms: ground.real(agreement) };
  const wrong: string[] = [];
  const lives: Life[] = [];
  let frozen_in: string | undefined;

  async function begin(attack: Attack = {}): Promise<Life> {
    const life = startLife(directory, { clock, ...attack });
    lives.push(life);
    const url = await life.url;
    caller.urls = () => (url === undefined ? [] : [url]);
    if (url === undefined) throw new Error(`A broker did not start: ${life.output()}`);
    return life;
  }
  const mutations = () => cloud.audit().filter(({ action, executed }) => executed && !/^(Describe|Get)/.test(action));

  try {
    if (freezes.at === 'call') cloud.setKnobs({ faults: [{ action: '*', ...slowAnswer(freezes, leaseMs + 200) }] });
    const first = await begin(freezes.at === 'part' ? { part: { ...freezes, phase: 'after' }, freezes: true } : {});
    const telling = Promise.all(stories.map((story, n) => playStory(story, n, caller)));
    telling.catch(() => undefined);
    frozen_in = freezes.at === 'part' ? await partThatFreezes(first) : await callThatFreezes(freezes.effect);
    await freeze(first);
    caller.urls = () => [];
    await wait(leaseMs);
    // Lock and socket would keep the second one out: on one machine there is never more than one that acts. Where
    // several share a store, leases have to do.
    for (const file of ['server.lock', 'muster.sock']) rmSync(join(directory, file), { force: true });
    cloud.setKnobs({ faults: [], latency_ms: {} });
    const second = await begin();
    if (thaws === 'between') {
      await wait(ground.chance.roll(1_500));
      first.signal('SIGCONT');
    }
    const told = await telling;
    if (thaws === 'after') {
      await wait(passMs);
      const before = { ledger: standing(cloud.ledger()), mutations: mutations().length };
      first.signal('SIGCONT');
      await wait(passMs);
      const after = standing(cloud.ledger());
      if (after !== before.ledger)
        wrong.push(
          `after the thaw the cloud has ${after}, and had ${before.ledger}`,
          ...mutations()
            .slice(before.mutations)
            .map((each) => JSON.stringify(each)),
        );
    }
    wrong.push(...(await judge(told, caller, cloud, standard)), ...caller.witness.wrong);
    wrong.push(...(await judgeStore(sqliteAt(join(directory, 'muster.db')), cloud.ledger(), standard)));
    for (const life of [second, first]) life.signal('SIGTERM');
    const ends = await Promise.all([first.ended, second.ended]);
    if (ends.some((how) => how !== 0))
      wrong.push(`the brokers that were asked to end ended with ${ends.join(' and ')}`);
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  for (const life of lives) life.signal('SIGKILL');
  await Promise.all(lives.map(({ ended }) => ended));
  const failed = wrong.length > 0;
  const account = failed
    ? { account: [ground.account(), ...lives.map(({ output }) => output())].join('\n--- another ---\n') }
    : {};
  await ground.close({ keep: failed });
  const where = freezes.at === 'part' ? `after part ${freezes.nth}` : `in call ${freezes.nth} (${freezes.effect})`;
  const title = `seed ${seed}, ${ground.dialect.scheduler}, frozen ${where}, thawed ${thaws}`;
  return { title, ...(frozen_in === undefined ? {} : { frozen_in }), wrong, ...account };

  /** Not in the midst of a transaction: the lock of SQLite would keep everybody out until it thaws. */
  async function freeze(life: Life): Promise<void> {
    const database = new DatabaseSync(join(directory, 'muster.db'), { timeout: 100 });
    for (;;) {
      life.signal('SIGSTOP');
      await wait(20);
      try {
        database.exec('BEGIN IMMEDIATE; ROLLBACK');
        return database.close();
      } catch {
        life.signal('SIGCONT');
        await wait(5);
      }
    }
  }

  async function partThatFreezes({ pid }: Life): Promise<string | undefined> {
    for (const end = performance.now() + 30_000; performance.now() < end; await wait(2))
      if (/^State:\sT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return `part ${freezes.nth}`;
    return undefined;
  }

  async function callThatFreezes(effect: string): Promise<string | undefined> {
    for (const end = performance.now() + 10_000; performance.now() < end; await wait(2)) {
      const hit = cloud.audit().find(({ fault }) => fault?.startsWith(`${effect}/`));
      if (hit) return hit.action;
    }
    return undefined;
  }
}

const slowAnswer = ({ nth, effect }: FreezePoint & { readonly at: 'call' }, delay_ms: number) =>
  effect === 'execute'
    ? ({ nth, effect, then: 'slow-headers', delay_ms } as const)
    : ({ nth, effect, then: 'hang' } as const);

const standing = ({ live, untagged, fleets, spot_fleets, groups }: Ledger): string =>
  JSON.stringify({ live, untagged, fleets, spot_fleets, groups });
