import type { AttemptRecord } from '../../model/attempt.ts';
import type { ClaimedRequest, WaitingCall } from '../claims/claimed-request.ts';

/** A call to make for an attempt. */
export interface CallInTurn {
  readonly attempt: AttemptRecord;
  readonly does: 'launch' | 'release' | 'dispose';
}

/**
 * What the order of turns depends on. A first launch sends an order that was never sent; a replay sends one again
 * whose machines may run already.
 */
type Work = 'release' | 'replay' | 'first-launch' | 'dispose';

/** One turn of so many is an order's while releases wait, and one of so many orders is a first one. */
const turnsForOrder = 4;
/** One turn of so many is a disposal's while anything else waits. */
const turnsForDisposal = 16;

/** The calls for an instance. */
interface Line {
  /** The most calls at a time. */
  most: number;
  readonly waiting: Readonly<Record<Work, Set<Waiting>>>;
  readonly running: Record<Work, number>;
  /** How many releases had a turn since an order had one, and how many replays since a first launch had one. */
  releasesInRow: number;
  replaysInRow: number;
  /** How many turns there were since a disposal had one. */
  sinceDisposal: number;
}

interface Waiting extends WaitingCall {
  make(): Promise<void>;
}

/**
 * The turns of calls that change a cloud: a few at a time for each instance. What ends machines comes first; orders
 * with a turn beside that are few, because a launch may take a minute. Orders that are repeated come before those that
 * were never sent, and what removes the rest of old attempts comes last. A first launch that waits for its turn can be
 * recalled: its order may be needless by now, or the instance does not answer. The others keep their place as long as
 * the claim is held.
 */
export class CallTurns {
  readonly #lines = new Map<string, Line>();
  readonly #mostAtOnce: (instance: string) => number;

  constructor(mostAtOnce: (instance: string) => number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Makes a call in its turn. Resolves with undefined when it was recalled before. */
  take<T>(
    { attempt, does }: CallInTurn,
    claimed: Pick<ClaimedRequest, 'waitingCalls'>,
    call: () => Promise<T>,
  ): Promise<T | undefined> {
    const line = this.#lineOf(attempt.provider_instance);
    const work = does !== 'launch' ? does : attempt.unsent ? 'first-launch' : 'replay';
    const own = line.waiting[work];
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        own.delete(waiting);
        claimed.waitingCalls.delete(waiting);
      };
      const waiting: Waiting = {
        attempt: attempt.attempt,
        isFirstLaunch: work === 'first-launch',
        recall() {
          leave();
          resolve(undefined);
        },
        make() {
          leave();
          return call().then(resolve, reject);
        },
      };
      own.add(waiting);
      claimed.waitingCalls.add(waiting);
      // Of calls that are planned together, the first one by rank comes first.
      queueMicrotask(() => serve(line));
    });
  }

  /** Recalls all first launches that wait for an instance. */
  recallAt(instance: string): void {
    for (const launch of this.#lines.get(instance)?.waiting['first-launch'] ?? []) launch.recall();
  }

  #lineOf(instance: string): Line {
    const most = this.#mostAtOnce(instance);
    const line = this.#lines.get(instance) ?? newLine(most);
    this.#lines.set(instance, line);
    line.most = most;
    return line;
  }
}

const newLine = (most: number): Line => ({
  most,
  waiting: { release: new Set(), replay: new Set(), 'first-launch': new Set(), dispose: new Set() },
  running: { release: 0, replay: 0, 'first-launch': 0, dispose: 0 },
  releasesInRow: 0,
  replaysInRow: 0,
  sinceDisposal: 0,
});

/** Makes the calls that have a turn now. */
function serve(line: Line): void {
  const { waiting, running } = line;
  for (let work = nextOf(line); work; work = nextOf(line)) {
    const [call] = waiting[work];
    if (!call) return;
    note(line, work);
    running[work] += 1;
    const made = work;
    void call.make().then(() => {
      running[made] -= 1;
      serve(line);
    });
  }
}

/** Whose turn it is; undefined: nobody's. */
function nextOf({ most, waiting, running, releasesInRow, replaysInRow, sinceDisposal }: Line): Work | undefined {
  const orders = running.replay + running['first-launch'];
  if (orders + running.release + running.dispose >= most) return undefined;
  const share = Math.max(1, Math.floor(most / turnsForOrder));
  const mayDispose = waiting.dispose.size > 0 && running.dispose < share;
  if (mayDispose && sinceDisposal >= turnsForDisposal - 1) return 'dispose';
  const isReplay = waiting.replay.size > 0 && (waiting['first-launch'].size === 0 || replaysInRow < turnsForOrder - 1);
  const order = isReplay ? 'replay' : 'first-launch';
  const mayOrder = waiting[order].size > 0;
  if (waiting.release.size > 0 && !(mayOrder && releasesInRow >= turnsForOrder - 1 && orders < share))
    return 'release';
  if (mayOrder) return order;
  return mayDispose ? 'dispose' : undefined;
}

function note(line: Line, work: Work): void {
  line.sinceDisposal = work === 'dispose' ? 0 : line.sinceDisposal + 1;
  if (work === 'release') line.releasesInRow += 1;
  else if (work !== 'dispose') line.releasesInRow = 0;
  if (work === 'replay') line.replaysInRow += 1;
  else if (work === 'first-launch') line.replaysInRow = 0;
}
