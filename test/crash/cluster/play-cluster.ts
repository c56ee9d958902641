import { systemClock } from '../../../core/contract/clock.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { postgresStorage } from '../../../plugins/storage-postgres/postgres-storage.ts';
import { databaseWay } from '../../support/database-way.ts';
import type { TestDatabase } from '../../support/postgres-database.ts';
import { Caller } from '../campaign/caller.ts';
import { openGround } from '../campaign/ground.ts';
import { judge } from '../campaign/judge.ts';
import { judgeStore } from '../campaign/judge-store.ts';
import { watchLedger } from '../campaign/ledger-watch.ts';
import type { Report } from '../campaign/play.ts';
import { play as playStory, scarceFor, storiesBy, type Size, type Story, type Told } from '../campaign/stories.ts';
import { capacityOf } from '../campaign/ways.ts';
import type { Dialect } from '../support/dialect.ts';
import { dice } from '../support/dice.ts';
import { until } from '../support/until.ts';
import { Broker } from './broker.ts';
import { disturbBrokers, disturbDatabase, type Disturbance } from './disturb.ts';
import { fastTime } from './fast-time.ts';

export interface ClusterOptions {
  readonly seed: number;
  readonly brokers: number;
  readonly database: TestDatabase;
  readonly scheduler?: Dialect['scheduler'];
  readonly size?: Size;
  /** At most so many faults. */
  readonly most: number;
  /** Budgets have room for about a third of what is asked for; each caller waits until others gave back. */
  readonly tight?: boolean;
  /** Default: what the seed chooses. */
  readonly stories?: readonly Story[];
}

/** Several processes share the computer: a lease passes in a second and a half or more. */
const slower = 2;
/** Of the play, for a request, for agreement. */
const [timeoutMs, agreementMs] = [3_600_000, 600_000];
/** Of the computer: a broker that is stopped keeps its connections and does not answer. */
const answerMs = 8_000;

/**
 * Several brokers on one database and one cloud. Until the callers have what they want, brokers are killed and
 * stopped, the database ends, and connections are lost or become silent. At the end callers, store and cloud agree.
 */
export async function playCluster(options: ClusterOptions): Promise<Report> {
  const { seed, brokers: count, database, scheduler, size = 'small', most, stories: given, tight = false } = options;
  const ground = await openGround(seed, scheduler, size, slower);
  const { cloud, chance, clock } = ground;
  // One has not all instances, in one play of two; and each runs on a host of its own, in one play of two.
  const lacks = chance.pick([undefined, undefined, 'east', 'west']);
  const hosts = chance.roll(2) === 0;
  const chosen = given ?? storiesBy(chance, size);
  const stories = tight ? chosen.map(givesAllBack) : chosen;
  const limit = tight ? tightLimit(stories) : undefined;
  cloud.setKnobs({ capacity: capacityOf(scarceFor(stories)), faults: ground.faults });
  const storage = { ...database.options(database.place()), listen: chance.roll(3) > 0, poll_ms: 200 };
  const open = () =>
    Promise.resolve(postgresStorage.open({ ...storage, listen: false }, { clock: systemClock, log: silentLog }));
  await (await open()).close();
  await fastTime(database, storage.schema, clock);

  await using undo = new AsyncDisposableStack();
  const brokers: Broker[] = [];
  for (let n = 0; n < count; n++) {
    const way = undo.use(await databaseWay(database.server.port));
    const name = `broker-${n}`;
    const url = storage.url.replace(`:${database.server.port}/`, `:${way.port}/`);
    const lack = n === count - 1 ? lacks : undefined;
    const own = {
      storage: { type: 'postgres', ...storage, url },
      ...(lack === undefined ? {} : { lacks: lack }),
      ...(limit === undefined ? {} : { budgets: [{ name: 'tight', max_machines: limit }] }),
    };
    const directory = ground.configure(name, own);
    const whole = lack === undefined;
    brokers.push(new Broker({ name, directory, clock, way, whole, ...(hosts ? { host: name } : {}) }));
  }
  const caller = new Caller(ground.dialect, { patience_ms: ground.real(timeoutMs), answer_ms: answerMs });
  caller.urls = () => brokers.flatMap(({ url }) => url ?? []);
  caller.accepts = (url) => brokers.some((each) => each.url === url && each.place.whole);
  using watch = watchLedger(cloud, caller.book, limit);
  const standard = { shared: ground.shared, exact: true, within_ms: ground.real(agreementMs) };
  const kills: string[] = [];
  const wrong: string[] = [];
  const callers = { done: false };
  const disturbance = (n: number): Disturbance => ({
    brokers,
    database,
    schema: storage.schema,
    chance: dice(seed * 100 + n),
    lease_ms: ground.real(15_000),
    over: () => callers.done || kills.length >= most,
    tell: (fault) => kills.push(fault),
    wrong: (what) => wrong.push(what),
  });

  /** Callers begin anew until there were faults enough. */
  async function allRounds(): Promise<Told[]> {
    const told: Told[] = [];
    for (let round = 0; round === 0 || kills.length < most; round += 1)
      told.push(...(await Promise.all(stories.map((story, n) => playStory(story, round * 10 + n, caller)))));
    return told;
  }

  try {
    const telling = allRounds();
    const ended = () => (callers.done = true);
    telling.then(ended, ended);
    await Promise.all([
      disturbDatabase(disturbance(0)),
      ...brokers.map((broker, n) => disturbBrokers(broker, disturbance(n + 1))),
    ]);
    cloud.setKnobs({ faults: [], latency_ms: {} });
    // Those that are gone stay gone, unless nobody is left who has everything.
    for (const broker of brokers)
      if (!broker.runs && (!broker.gone || !brokers.some(({ runs, place }) => runs && place.whole))) broker.start({});
    await until('brokers that answer', () => brokers.every(({ runs, url }) => !runs || url !== undefined));
    wrong.push(...(await judge(await telling, caller, cloud, standard)), ...caller.witness.wrong);
    wrong.push(...(await judgeStore(open, cloud.ledger(), standard)));
    for (const broker of brokers.filter(({ runs }) => runs)) {
      const how = await broker.end('SIGTERM');
      if (how !== 0) wrong.push(`${broker.place.name}, which was asked to end, ended with ${how}`);
    }
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  await Promise.all(brokers.map((broker) => broker.end('SIGKILL')));
  wrong.push(...watch.wrong());
  const failed = wrong.length > 0;
  const account = failed
    ? { account: [ground.account(), ...kills, ...brokers.map((broker) => broker.account())].join('\n') }
    : {};
  await ground.close({ keep: failed });
  const about = [
    lacks === undefined ? '' : `, one lacks ${lacks}`,
    hosts ? ', on hosts of their own' : '',
    storage.listen ? '' : ', polling',
    limit === undefined
      ? ''
      : `, a budget of ${limit} machines: ${watch.mostLive()} lived at once, ${caller.refusals} refusals`,
  ];
  const title = `seed ${seed}, ${size}, ${ground.dialect.scheduler}, ${count} brokers${about.join('')}, ${Math.round(clock.times)} times as fast`;
  return { title, stories, kills, wrong, ...account };
}

/** Whoever waits for a budget gets room some time: nobody keeps machines. */
const givesAllBack = (story: Story): Story =>
  story.then === 'cancel' || story.then === 'cancel-half'
    ? { ...story, returns_what_was_not_cancelled: true }
    : { ...story, then: 'return-all' };

/** A third of all that is asked for, and enough for the largest request. */
function tightLimit(stories: readonly Story[]): number {
  const counts = stories.map(({ machine_count }) => machine_count);
  return Math.max(...counts, Math.ceil(counts.reduce((sum, count) => sum + count, 0) / 3));
}
