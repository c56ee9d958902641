import { silentLog, type Store, type Clock } from '../../core/index.ts';
import type { Checks, Ending } from '../runner.ts';
import { driverOf, type StorageSubject } from './subject.ts';

/** A storage of its own for one check, that nobody opened yet. */
export interface Ground {
  readonly clock: StillClock;
  /** What stands in its configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  /**
   * Opens it, or opens it once more: beside other stores where it is shared, else only after they were closed. The store is closed when the check
   * ends.
   */
  again(): Promise<Store>;
}

/** The same, opened. */
export interface Stage extends Ground {
  readonly store: Store;
}

/** What the checks of one chapter are made of. */
export interface Contract extends Checks {
  /** Whether several store objects may be open on it at once. */
  readonly shared: boolean;
  ground(ending: Ending): Promise<Ground>;
  stage(ending: Ending): Promise<Stage>;
}

export function contractOf(checks: Checks, subject: StorageSubject): Contract {
  const driver = driverOf(subject);
  const ground = async (ending: Ending): Promise<Ground> => {
    const clock = stillClock();
    const options = subject.options(await subject.place());
    const again = async () => {
      const store = await driver.open(options, { clock, log: silentLog });
      // Whether it may be called twice is a check of its own; here it must not hide what failed.
      ending.defer(() => store.close().catch(() => {}));
      return store;
    };
    return { clock, options, again };
  };
  const stage = async (ending: Ending): Promise<Stage> => {
    const made = await ground(ending);
    return { ...made, store: await made.again() };
  };
  return { ...checks, shared: driver.shared, ground, stage };
}

/** A clock that stands still until it is set. */
interface StillClock extends Clock {
  time: number;
}

const stillClock = (time = 10_000): StillClock => ({
  time,
  now() {
    return this.time;
  },
  monotonic() {
    return this.time;
  },
  sleep: () => Promise.resolve(),
});
