import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { excess, type Entry } from './excess.ts';

const everyMs = 100;

export interface LedgerWatch extends Disposable {
  /** What was ever wrong, in sentences. */
  readonly wrong: () => readonly string[];
}

/** Looks at the ledger of the cloud again and again while a play lasts: whether it ever has more than is wanted. */
export function watchLedger(cloud: Simulator, book: ReadonlyMap<string, Entry>): LedgerWatch {
  const most = new Map<string, number>();
  const look = () => {
    for (const [id, more] of excess(cloud.ledger().live, book)) most.set(id, Math.max(more, most.get(id) ?? 0));
  };
  const timer = setInterval(look, everyMs);
  return {
    wrong: () => [...most].map(([id, more]) => `${id} had ${more} machines more than were wanted while it was played`),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
