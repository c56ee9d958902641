import type { BrokerRecord } from '../model/broker.ts';
import { canServe, servesWell } from './needs.ts';

/** How many requests with the same needs wait, or are held by the holder of claims `by`. */
export interface NeedsCount {
  /** Empty: none. */
  readonly needs: string;
  readonly count: number;
}
export interface HeldCount<By> extends NeedsCount {
  readonly by: By;
}

/** A broker with a running lease. `by` is the storage's name of it as a holder of claims. */
export interface LiveBroker<By> {
  readonly by: By;
  readonly record: Pick<BrokerRecord, 'serves' | 'draining'>;
}

/**
 * How many more requests a broker may claim, by their needs. Requests that no live broker can serve may be claimed by
 * any, so that one reports for what they wait.
 */
export function claimable<By>(
  me: By,
  live: readonly LiveBroker<By>[],
  held: readonly HeldCount<By>[],
  due: readonly NeedsCount[],
): ReadonlyMap<string, number> {
  return new Map(
    due.flatMap(({ needs, count }): [string, number][] => {
      const share = shareOf(me, live, held, needs, count);
      const free = share === undefined ? 0 : share.most - share.mine;
      return free > 0 ? [[needs, free]] : [];
    }),
  );
}

/**
 * The requests that a broker should yield when they are at rest: those that it cannot serve and another one can, those
 * whose instance answers another broker and not this one, and those above its share, when that is more than a quarter.
 * `mine`: its requests; the last ones are yielded.
 */
export function surplusOf<By>(
  me: By,
  live: readonly LiveBroker<By>[],
  held: readonly HeldCount<By>[],
  mine: readonly { readonly request_id: string; readonly needs: string }[],
): readonly string[] {
  return [...Map.groupBy(mine, ({ needs }) => needs)].flatMap(([needs, requests]) => {
    const share = shareOf(me, live, held, needs, 0);
    const ids = requests.map(({ request_id }) => request_id);
    if (share === undefined) return ids;
    return ids.length > share.most ? ids.slice(share.even) : [];
  });
}

interface Share {
  /** An equal part of all requests with the same needs. */
  readonly even: number;
  /** What a broker may hold without yielding some. */
  readonly most: number;
  readonly mine: number;
}

/** The share of a broker in requests with the same needs. Undefined when others are to serve them. */
function shareOf<By>(
  me: By,
  live: readonly LiveBroker<By>[],
  held: readonly HeldCount<By>[],
  needs: string,
  waiting: number,
): Share | undefined {
  const working = live.filter(({ record }) => record.draining !== true);
  const able = working.filter(({ record }) => canServe(record, needs));
  const well = able.filter(({ record }) => servesWell(record, needs));
  const takers = well.length > 0 ? well : able.length > 0 ? able : working;
  if (!takers.some(({ by }) => by === me)) return undefined;
  const holders = new Set(takers.map(({ by }) => by));
  let all = waiting;
  let mine = 0;
  for (const each of held) {
    if (each.needs !== needs || !holders.has(each.by)) continue;
    all += each.count;
    if (each.by === me) mine += each.count;
  }
  const even = Math.ceil(all / takers.length);
  return { even, most: even + Math.floor(even / 4), mine };
}
