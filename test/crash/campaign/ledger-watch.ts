import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { excess, type Entry } from './excess.ts';

const everyMs = 100;

export interface LedgerWatch extends Disposable {
  /** What was ever wrong, in sentences. */
  readonly wrong: () => readonly string[];
  /** The most machines that lived at once. */
  readonly mostLive: () => number;
}

/**
 * Looks at the ledger of the cloud again and again while a play lasts: whether it ever has more than is wanted, or
 * more machines in all than `limit`.
 */
export function watchLedger(cloud: Simulator, book: ReadonlyMap<string, Entry>, limit = Infinity): LedgerWatch {
  const most = new Map<string, number>();
  let mostLive = 0;
  const look = () => {
    const { live } = cloud.ledger();
    for (const [id, more] of excess(live, book)) most.set(id, Math.max(more, most.get(id) ?? 0));
    mostLive = Math.max(mostLive, Object.values(live).flat().length);
  };
  const timer = setInterval(look, everyMs);
  return {
    wrong: () => [
      ...[...most].map(([id, more]) => `${id} had ${more} machines more than were wanted while it was played`),
      ...(mostLive > limit ? [`${mostLive} machines lived at once, and a budget allows ${limit}`] : []),
    ],
    mostLive: () => mostLive,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
