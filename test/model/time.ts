import type { Clock } from '../../core/index.ts';

/** A computer: its monotonic clock stands while it is suspended. */
export class Host {
  readonly name: string;
  #suspended = false;
  #resumed: (() => void)[] = [];
  /** Milliseconds for which its monotonic clock stood. */
  slept = 0;

  constructor(name: string) {
    this.name = name;
  }

  get suspended(): boolean {
    return this.#suspended;
  }

  suspend(): void {
    this.#suspended = true;
  }

  /** What stood still goes on. */
  resume(): void {
    this.#suspended = false;
    for (const go of this.#resumed.splice(0)) go();
  }

  /** Calls back once it runs again. */
  afterwards(go: () => void): void {
    this.#resumed.push(go);
  }
}

/**
 * Who sleeps: nothing of it runs while it is frozen, or its host suspended, and nothing ever again once it is dead.
 */
export interface Sleeping {
  readonly host: Host;
  readonly state: 'running' | 'frozen' | 'dead';
}

interface Sleeper {
  at: number;
  readonly who: Sleeping | undefined;
  readonly wake: () => void;
}

const began = Date.parse('2026-01-01T00:00:00Z');
/** What sleeps for less belongs to something under way, and is woken in time. */
const soonMs = 50;

/** The time that truly passes, in the clouds too, and the clocks that tell of it. Nothing happens but in `pass`. */
export class Time {
  /** Milliseconds since the beginning. */
  now = 0;
  /** What the wall clock is off by. */
  off = 0;
  /** Rises with everything that is done: at rest nothing is under way any more. */
  busy = 0;
  /** Hands out what waits to be told; whether there was anything. */
  tell: () => boolean = () => false;
  /** Why no more time passes. */
  over: () => boolean = () => false;
  #sleepers: Sleeper[] = [];

  wall(): number {
    return began + this.now + this.off;
  }

  /** The wall clock of whoever needs a true one: a cloud. */
  trueWall(): number {
    return began + this.now;
  }

  clockOf(who: Sleeping): Clock {
    return {
      now: () => this.wall(),
      monotonic: () => 1_000_000 + this.now - who.host.slept,
      sleep: (ms, signal) => this.#sleep(who, ms, signal),
    };
  }

  /** Calls back in the true time. */
  after(ms: number, wake: () => void): void {
    this.#sleepers.push({ at: this.now + ms, who: undefined, wake });
  }

  /**
   * Lets time pass. What sleeps for long may be woken `late` milliseconds too late, as on a busy machine: that makes
   * hours cheap.
   */
  async pass(ms: number, late = 0): Promise<void> {
    const end = this.now + ms;
    await this.settle();
    while (!this.over()) {
      const next = this.#next();
      if (next === undefined || next > end) break;
      // A loop may be late; what happens in the clouds happens in its time.
      const exact = Math.min(
        end,
        this.#next((sleeper) => sleeper.who === undefined || sleeper.at - this.now <= soonMs) ?? end,
      );
      this.#to(Math.max(this.now, Math.min(exact, Math.max(next, this.now + late))));
      for (const sleeper of this.#due()) sleeper.wake();
      await this.settle();
    }
    this.#to(Math.max(this.now, end));
    await this.settle();
  }

  /** Until nothing moves but by time. */
  async settle(): Promise<void> {
    for (;;) {
      const before = this.busy;
      await new Promise<void>((resolve) => void setImmediate(resolve));
      // Who handles much at once lets others have a turn in between: no time passes meanwhile.
      if (!this.tell() && this.busy === before && !process.getActiveResourcesInfo().includes('Immediate')) return;
    }
  }

  #sleep(who: Sleeping, ms: number, signal?: AbortSignal): Promise<void> {
    this.busy += 1;
    if (who.state === 'dead') return new Promise(() => undefined);
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const abort = () => this.#wake(sleeper);
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper: Sleeper = { at: this.now + Math.max(0, ms), who, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #wake(sleeper: Sleeper): void {
    if (sleeper.who?.state !== 'running') {
      sleeper.at = this.now;
      return;
    }
    this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
    sleeper.wake();
  }

  #next(which: (sleeper: Sleeper) => boolean = () => true): number | undefined {
    let next: number | undefined;
    for (const sleeper of this.#sleepers)
      if (isAwake(sleeper) && (next === undefined || sleeper.at < next) && which(sleeper)) next = sleeper.at;
    return next;
  }

  #due(): readonly Sleeper[] {
    const due = this.#sleepers.filter((each) => each.at <= this.now && isAwake(each)).toSorted((a, b) => a.at - b.at);
    const over = new Set(due);
    this.#sleepers = this.#sleepers.filter((each) => !over.has(each) && each.who?.state !== 'dead');
    return due;
  }

  #to(at: number): void {
    const passed = at - this.now;
    this.now = at;
    if (passed === 0) return;
    const slept = new Set<Host>();
    for (const sleeper of this.#sleepers) {
      if (!sleeper.who?.host.suspended) continue;
      sleeper.at += passed;
      slept.add(sleeper.who.host);
    }
    for (const host of slept) host.slept += passed;
  }
}

const isAwake = ({ who }: Sleeper): boolean => who === undefined || (who.state === 'running' && !who.host.suspended);
