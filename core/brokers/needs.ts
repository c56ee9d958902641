import type { BrokerRecord, ServedInstance } from '../model/broker.ts';

/** An instance that a request needs. Without an identity, any cloud behind the name will do. */
export interface NeededInstance {
  readonly name: string;
  readonly identity?: string;
}

/**
 * The instances that a request needs, as the value of one column: equal texts are equal needs. Empty for no needs.
 */
export function needsOf(instances: readonly NeededInstance[]): string {
  const pairs = instances.map(({ name, identity }) =>
    JSON.stringify(identity === undefined ? [name] : [name, identity]),
  );
  if (pairs.length < 2) return pairs.length === 0 ? '' : `[${pairs[0]}]`;
  return `[${[...new Set(pairs)].toSorted().join(',')}]`;
}

/** Whether a broker can serve all instances of a request. `needs` is the stored column. */
export const canServe = (broker: Pick<BrokerRecord, 'serves'>, needs: string | null | undefined): boolean =>
  servesAll(broker, needs, () => true);

/** As `canServe`, and whether all these instances answer the broker. */
export const servesWell = (broker: Pick<BrokerRecord, 'serves'>, needs: string | null | undefined): boolean =>
  servesAll(broker, needs, ({ unhealthy }) => unhealthy !== true);

function servesAll(
  { serves }: Pick<BrokerRecord, 'serves'>,
  needs: string | null | undefined,
  isFit: (served: ServedInstance) => boolean,
): boolean {
  if (needs === null || needs === undefined || needs === '') return true;
  return (JSON.parse(needs) as readonly (readonly [string, string?])[]).every(([name, identity]) =>
    serves.some((each) => each.name === name && (identity === undefined || each.identity === identity) && isFit(each)),
  );
}
