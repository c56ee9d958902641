import { silentLog, type Store, type Clock } from '../../core/index.ts';
import type { Checks, Ending } from '../runner.ts';
import { driverOf, type StorageSubject } from './subject.ts';

/** The time of a storage. It stands still until it is set. */
export interface StorageTime {
  readonly now: number;
  set(ms: number): Promise<void>;
  pass(ms: number): Promise<void>;
}

/** A separate storage for one check, not opened yet. */
export interface UnopenedStorage {
  readonly time: StorageTime;
  readonly place: string;
  /** The options of its configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  /**
   * Opens the storage, also repeatedly: together with other stores if it is shared, else only after they were closed.
   * The store is closed when the check ends.
   */
  open(): Promise<Store>;
}

/** A separate storage for one check, opened. */
export interface OpenedStorage extends UnopenedStorage {
  readonly store: Store;
}

/** The parts from which checks of a storage are built. */
export interface Contract extends Checks {
  /** Whether several store objects may be open on it at once. */
  readonly shared: boolean;
  unopened(ending: Ending): Promise<UnopenedStorage>;
  opened(ending: Ending): Promise<OpenedStorage>;
}

export function contractOf(checks: Checks, subject: StorageSubject): Contract {
  const driver = driverOf(subject);
  const unopened = async (ending: Ending): Promise<UnopenedStorage> => {
    const place = await subject.place();
    const time = timeOf(subject, place);
    const options = subject.options(place);
    const open = async () => {
      const store = await driver.open(options, { clock: time.clock(), log: silentLog });
      // A separate check covers a second close; an error here must not hide the failure of the check.
      ending.defer(() => store.close().catch(() => {}));
      await time.set(time.now);
      return store;
    };
    return { time, place, options, open };
  };
  const opened = async (ending: Ending): Promise<OpenedStorage> => {
    const made = await unopened(ending);
    return { ...made, store: await made.open() };
  };
  return { ...checks, shared: driver.shared, unopened, opened };
}

/** By how much the clocks of callers are wrong where the storage has its own: more than any lease. */
const wrongByMs = 3_600_000;

function timeOf({ setTime }: StorageSubject, place: string): StorageTime & { clock(): Clock } {
  let now = 10_000;
  let opened = 0;
  return {
    get now() {
      return now;
    },
    async set(ms) {
      now = ms;
      await setTime?.(place, ms);
    },
    pass(ms) {
      return this.set(now + ms);
    },
    // Every second store is behind, the others are ahead.
    clock() {
      const wrong = setTime ? wrongByMs * (opened++ % 2 ? -1 : 1) : 0;
      return { now: () => now + wrong, monotonic: () => now, sleep: () => Promise.resolve() };
    },
  };
}
