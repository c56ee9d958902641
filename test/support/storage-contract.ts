import type { ExecutionContext, TestFn } from 'ava';
import type { Store } from '../../core/index.ts';
import { checkClaims } from './storage-contract-claims.ts';
import { checkCommits } from './storage-contract-commits.ts';
import { checkQueries } from './storage-contract-queries.ts';
import { checkLife } from './storage-contract-life.ts';
import { stillClock, type StillClock } from './storage-clock.ts';

/** A storage of its own for one test, empty, closed when the test ends. */
export interface Stage {
  readonly store: Store;
  readonly clock: StillClock;
  /** Another store object on the same storage; absent where a storage belongs to one. */
  readonly again?: () => Promise<Store>;
}

export interface Contract {
  readonly test: TestFn;
  readonly stage: (t: ExecutionContext) => Promise<Stage>;
}

/** How a driver is put to the test: opens a store on the storage named by `place`, which is fresh for each test. */
export interface Subject {
  readonly test: TestFn;
  readonly shared: boolean;
  readonly place: () => string;
  readonly open: (place: string, clock: StillClock) => Promise<Store>;
}

/** Checks every sentence of the contract of `Store`. */
export function checkStorage({ test, shared, place, open }: Subject): void {
  const stage = async (t: ExecutionContext): Promise<Stage> => {
    const clock = stillClock();
    const where = place();
    const make = async () => {
      const store = await open(where, clock);
      t.teardown(() => store.close());
      return store;
    };
    const store = await make();
    return shared ? { store, clock, again: make } : { store, clock };
  };
  const contract = { test, stage };
  checkCommits(contract);
  checkQueries(contract);
  checkClaims(contract);
  checkLife(contract, shared);
}
