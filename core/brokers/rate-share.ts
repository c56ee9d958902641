import type { BrokerRecord } from '../model/broker.ts';

/** A broker that waits for the others to use less may send this part of the calls. */
const smallest = 1 / 50;

const sharesOf = (identity: string, { serves }: Pick<BrokerRecord, 'serves'>) =>
  serves.filter((each) => each.identity === identity);

/** The other live brokers that call a cloud. */
const othersAt = (
  identity: string,
  me: Pick<BrokerRecord, 'broker_id'>,
  live: readonly BrokerRecord[],
): readonly BrokerRecord[] =>
  live.filter((each) => each.broker_id !== me.broker_id && sharesOf(identity, each).length > 0);

/**
 * The part of the rate limits of a cloud that a broker may have beside the other live brokers: an equal part, and no
 * more than what the others have left, as they told in their records.
 */
export function rateShare(
  identity: string,
  me: Pick<BrokerRecord, 'broker_id'>,
  live: readonly BrokerRecord[],
): number {
  const others = othersAt(identity, me, live);
  const even = 1 / (others.length + 1);
  const taken = others.map((each) => Math.max(...sharesOf(identity, each).map(({ share = even }) => share)));
  return Math.max(0, Math.min(even, 1 - taken.reduce((sum, each) => sum + each, 0)));
}

/**
 * The part that a broker uses now. `told`: the part that its stored record tells. It uses less at once, and more only
 * after it was told, so that the parts of all brokers sum to one while brokers come and go.
 */
export function usedShare(
  identity: string,
  me: Pick<BrokerRecord, 'broker_id'>,
  live: readonly BrokerRecord[],
  told: number | undefined,
): number {
  if (othersAt(identity, me, live).length === 0) return 1;
  return Math.max(smallest, Math.min(told ?? 0, rateShare(identity, me, live)));
}
