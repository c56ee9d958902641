import { silentLog, type Store, type Clock } from '../../core/index.ts';
import type { Checks, Ending } from '../runner.ts';
import { driverOf, type StorageSubject } from './subject.ts';

/** A separate storage for one check, not opened yet. */
export interface UnopenedStorage {
  readonly clock: StillClock;
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
    const clock = stillClock();
    const options = subject.options(await subject.place());
    const open = async () => {
      const store = await driver.open(options, { clock, log: silentLog });
      // A separate check covers a second close; an error here must not hide the failure of the check.
      ending.defer(() => store.close().catch(() => {}));
      return store;
    };
    return { clock, options, open };
  };
  const opened = async (ending: Ending): Promise<OpenedStorage> => {
    const made = await unopened(ending);
    return { ...made, store: await made.open() };
  };
  return { ...checks, shared: driver.shared, unopened, opened };
}

/** A clock that stands still until it is set. */
interface StillClock extends Clock {
  time: number;
}

const stillClock = (): StillClock => ({
  time: 10_000,
  now() {
    return this.time;
  },
  monotonic() {
    return this.time;
  },
  sleep: () => Promise.resolve(),
});
