import { type MachineRecord, isTerminal } from '../../core/index.ts';
import { defaultSettings } from '../../core/reconciler/settings.ts';
import type { Command, History } from './commands.ts';
import type { Rule, Violation } from './judge.ts';
import type { Life, Trap } from './life.ts';
import { judgeEnd, judgeRest } from './rest.ts';
import { absenceMs, replaceAgainMs, sweepMs, World } from './world.ts';

const fineMs = 20_000;
const longestDownMs = 91_000;
/**
 * After the last time-out everything has come to rest: machines that never became ready, lost orders, three sweeps.
 */
const settledMs = 600_000;

export interface Report {
  readonly violations: readonly Violation[];
  readonly world: World;
}

/**
 * Plays a history against the real core, lets everything come to rest, gives everything back, and says what was wrong.
 * `begun`: told of the world before.
 */
export async function play(
  history: History,
  but: ReadonlySet<Rule> = new Set(),
  begun: (world: World) => void = () => undefined,
): Promise<Report> {
  const world = await World.make(history.setup, but);
  begun(world);
  const { judge } = world;
  for (const command of history.commands) {
    await world.time.pass(1);
    if (judge.violations.length > 0) break;
    if (disturbs(command)) judge.disturbed_at = world.time.now + ('ms' in command ? command.ms : 0);
    await carryOut(command, world);
    if (world.life?.trap !== undefined || isFailing(world)) judge.disturbed_at = world.time.now;
  }
  if (judge.violations.length === 0) await rest(world);
  for (const life of world.lives) life.kill();
  return { violations: judge.violations, world };
}

/** Nothing fails any more, until everything ended that can; then everything is given back. */
async function rest(world: World): Promise<void> {
  const { time, judge, shelf, setup, clouds } = world;
  for (const cloud of clouds) cloud.calm();
  shelf.silentUntil = 0;
  world.host.resume();
  for (const life of world.lives) {
    life.trap = undefined;
    life.commitFaults.length = 0;
    life.readFaults.length = 0;
    life.thaw();
  }
  // Whoever died is about to be started anew.
  if (world.life === undefined) await long(world, longestDownMs);
  if (await world.configureAll()) {
    // Also whoever took over from one that stood still had the configuration of that time.
    for (const life of world.lives.filter(({ state }) => state !== 'dead')) await stop(world, life);
    await world.start(false);
  }
  const deadlines = [...judge.owed.values()]
    .filter((owed) => owed.ended_at === undefined)
    .map(({ deadline_at, unseen_jumps }) => deadline_at + unseen_jumps);
  const left = Math.max(
    0,
    ...[...deadlines, ...returnDeadlines(world)].map((deadline) => deadline + judge.suspended_ms - time.now),
  );
  // For a clock that was set back, resources in the cloud are younger than they are, and a sweep leaves them longer.
  const behind = Math.max(0, -time.off);
  await long(world, Math.max(left, replacedWithin(world)) + behind + settledMs);
  await sweptAway(world);
  if (judge.violations.length > 0) return;
  judgeRest(judge, shelf, setup);
  if (judge.violations.length > 0) return;
  const living = [...shelf.machines.values()]
    .filter((row) => row.gone_at === undefined)
    .map(({ machine_id }) => machine_id);
  if (living.length > 0) await world.asks(() => world.requestService.returnMachines(living, 300));
  await long(world, settledMs);
  if (judge.violations.length === 0) judgeEnd(judge, shelf, setup, clouds);
}

/** How long replacements of the recommended machines are still sought. */
function replacedWithin({ clouds, judge, time, setup }: World): number {
  const longest = Math.max(...setup.templates.map(({ timeout }) => timeout)) * 1_000;
  const unseen = Math.max(0, ...[...judge.owed.values()].map(({ unseen_jumps }) => unseen_jumps));
  const at = clouds.flatMap((cloud) => cloud.live().flatMap(({ recommended_at }) => recommended_at ?? []));
  const until = Math.max(...at) + replaceAgainMs + longest + unseen + judge.suspended_ms;
  return Math.max(0, until - time.now);
}

/** A sweep ends a few at a time: as long as fewer are left after each, it goes on. */
async function sweptAway(world: World): Promise<void> {
  if (world.setup.sweep !== 'terminate') return;
  const strays = () => {
    const rows = new Set([...world.shelf.machines.values()].map(({ machine_id }) => machine_id));
    return world.clouds.flatMap((cloud) => cloud.live()).filter(({ id }) => !rows.has(id)).length;
  };
  for (let left = strays(), before = Infinity; left > 0 && left < before && world.judge.violations.length === 0; ) {
    await long(world, 4 * sweepMs);
    [before, left] = [left, strays()];
  }
}

/** What sleeps for long comes a little too late meanwhile: well within a lease. */
const long = (world: World, ms: number): Promise<void> => world.time.pass(ms, world.setup.lease_ms / 6);

const returnDeadlines = ({ shelf, time }: World): number[] =>
  [...shelf.requests.values()]
    .filter(({ kind, status }) => kind === 'return' && !isTerminal(status))
    .map(({ deadline_at }) => deadline_at - time.wall() + time.now);

async function carryOut(command: Command, world: World): Promise<void> {
  const { time, shelf, judge, clouds, life } = world;
  switch (command.do) {
    case 'request':
      for (let i = 0; i < command.times; i++) await world.request(command.machines, command.template);
      return;
    case 'return': {
      const rows = [...shelf.machines.values()].filter(
        ({ request_id }) => command.of === -1 || request_id === requestOf(world, command.of),
      );
      const ids = chosen(rows, command.from, command.machines).map(({ machine_id }) => machine_id);
      if (ids.length > 0) await world.asks(() => world.requestService.returnMachines(ids, 120));
      return;
    }
    case 'cancel':
    case 'complete': {
      const id = requestOf(world, command.of);
      if (id === undefined) return;
      await world.asks(() =>
        command.do === 'cancel' ? world.requestCommands.cancel(id, undefined) : world.requestCommands.complete(id),
      );
      return;
    }
    case 'pass':
      return command.ms <= fineMs ? time.pass(command.ms) : long(world, command.ms);
    case 'capacity': {
      const cloud = at(clouds, command.at);
      return cloud.setFree(at(cloud.offers, command.offer), command.free);
    }
    case 'die': {
      const cloud = at(clouds, command.at);
      for (const machine of chosen(cloud.live(), command.from, command.machines)) cloud.take(machine);
      return;
    }
    case 'recommend': {
      const cloud = at(clouds, command.at);
      for (const machine of chosen(cloud.live(), command.from, command.machines)) cloud.recommend(machine);
      return;
    }
    case 'launches':
      at(clouds, command.at).launchMoods.push(...Array.from({ length: command.times }, () => command.mood));
      return;
    case 'observations':
      // Where nobody sweeps, a machine that is left out for as long as makes it count as gone is never seen again.
      return at(clouds, command.at).observeBadly(
        command.mood,
        command.mood === 'missing' && world.setup.sweep === 'off' ? Math.min(command.ms, absenceMs - 1) : command.ms,
      );
    case 'releases':
      at(clouds, command.at).releaseMoods.push(...Array.from({ length: command.times }, () => command.mood));
      return;
    case 'listings':
      return at(clouds, command.at).listBadly(command.mood, command.ms);
    case 'refuse':
      return at(clouds, command.at).refuse(command.ms);
    case 'jump':
      time.off += command.ms;
      judge.jumped(command.ms, isWatched(world) ? life : undefined);
      return time.pass(3_000);
    case 'suspend':
      world.host.suspend();
      judge.suspended_ms += command.ms;
      // What is no longer than this is taken for a clock that runs a little wrong.
      if (command.ms <= defaultSettings.clock_shift_ms) judge.jumped(command.ms, undefined);
      await long(world, command.ms);
      world.host.resume();
      return;
    case 'storage': {
      const faults = command.of === 'commits' ? life?.commitFaults : life?.readFaults;
      faults?.push(
        ...Array.from({ length: command.after }, () => undefined),
        ...Array.from({ length: command.times }, () => command.fault),
      );
      return;
    }
    case 'silence':
      shelf.silentUntil = time.now + command.ms;
      return;
    case 'kill':
      return set(world, { ...command, spring: (caught) => killed(world, caught, command.down_ms, command.elsewhere) });
    case 'freeze':
      return set(world, { ...command, spring: (caught) => frozen(world, caught, command.ms) });
    case 'restart':
      if (command.change) await world.configure(command.change);
      return restart(world, command.elsewhere);
  }
}

const disturbing = new Set<Command['do']>(['jump', 'suspend', 'storage', 'silence', 'kill', 'freeze', 'restart']);
const disturbs = (command: Command): boolean => disturbing.has(command.do);
const isFailing = ({ lives }: World): boolean =>
  lives.some((life) => life.commitFaults.length + life.readFaults.length > 0);

function set({ life }: World, trap: Trap): void {
  if (life) life.trap = { ...trap };
}

function killed(world: World, life: Life, down_ms: number, elsewhere: boolean): void {
  world.end(life);
  world.judge.disturbed_at = world.time.now + down_ms + world.setup.lease_ms;
  world.time.after(down_ms, () => void world.start(elsewhere));
}

/**
 * Another one takes over on the other computer, once its lease has ended. On the same computer it would be a later
 * thread of the same process, which starts only when the earlier one has ended.
 */
function frozen(world: World, life: Life, ms: number): void {
  life.freeze();
  world.judge.disturbed_at = world.time.now + ms + world.setup.lease_ms;
  world.time.after(100, () => void world.start(life.host === world.host));
  world.time.after(ms, () => life.thaw());
}

async function restart(world: World, elsewhere: boolean): Promise<void> {
  if (world.life) await stop(world, world.life);
  await world.start(elsewhere);
}

/** In good order, as far as it comes to an end. */
async function stop(world: World, life: Life): Promise<void> {
  const stopping = { over: life.loop === undefined };
  const over = () => (stopping.over = true);
  void life.loop?.stop().then(over, over);
  for (let i = 0; i < 24 && !stopping.over; i++) await world.time.pass(500);
  world.end(life);
}

/** Somebody compares the clocks, and nobody else takes a lease for ended that the new time seems to have outlived. */
const isWatched = (world: World): boolean => {
  const { life, lives, host } = world;
  if (lives.filter(({ state }) => state === 'running').length > 1) return false;
  return life?.state === 'running' && life.host === host && life.trap === undefined && !isFailing(world);
};

/** By age, the youngest being 0. */
function requestOf({ judge }: World, age: number): string | undefined {
  const ids = [...judge.owed.keys()];
  return ids.length === 0 ? undefined : ids[ids.length - 1 - (age % ids.length)];
}

/** So many in a row, from a tenth of the list on. */
function chosen<T extends MachineRecord | { readonly id: string }>(
  list: readonly T[],
  from: number,
  count: number,
): readonly T[] {
  const first = Math.floor((list.length * from) / 10);
  return [...list.slice(first), ...list.slice(0, first)].slice(0, count);
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
