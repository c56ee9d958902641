import type { ExecutionContext } from 'ava';
import { systemClock, type Store } from '../../core/index.ts';
import { claimPoolOn } from './claim-pool-bench.ts';
import { until } from './boot-broker.ts';

/** A machine whose stored record is no JSON stops its request alone. `damage` updates the machines with SQL beside the store. */
export async function damagedMachine(
  t: ExecutionContext,
  store: Store,
  damage: (assignment: string) => Promise<unknown>,
): Promise<void> {
  const { pool, ran, logged, add } = claimPoolOn(store, systemClock);
  for (const id of ['r-1', 'r-bad', 'r-2']) await add(id, 3);
  await damage("SET doc = 'secret' || doc WHERE request_id = 'r-bad'");
  pool.start();
  await until(async () => ran.get('r-1') !== undefined && ran.get('r-2') !== undefined && pool.unreadable === 1);
  t.deepEqual([...ran.keys()].toSorted(), ['r-1', 'r-2']);
  t.false(JSON.stringify(logged).includes('secret'));
  await pool.stop(1_000, () => undefined);
}
