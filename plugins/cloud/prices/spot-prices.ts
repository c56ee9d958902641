import { isFault, type Call } from '../../../core/index.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import { sessionField } from '../connection/session-field.ts';
import type { CloudSession } from '../connection/session.ts';

/** Spot prices change slowly: AWS adjusts them by long-term supply and demand. */
const keptMs = 3_600_000;
/** The wait after a call that failed. */
const againMs = 600_000;
/** The most types that one call names. */
const typesAtOnce = 100;
/** Linux; in accounts without EC2-Classic the name has an addition. */
const ProductDescriptions = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

interface KnownPrices {
  /** US dollars an hour by type and zone. */
  readonly byPool: Map<string, number>;
  /** Monotonic milliseconds, by type: until then the type is not asked for. */
  readonly until: Map<string, number>;
}

const field = sessionField((): KnownPrices => ({ byPool: new Map(), until: new Map() }));

const poolOf = (type: string, zone: string): string => `${type} ${zone}`;

/** The last Spot prices that are known, by type and zone. */
export const spotPriceOf = (session: CloudSession, type: string, zone: string): number | undefined =>
  field(session).byPool.get(poolOf(type, zone));

/**
 * Reads the Spot prices of these types in all zones, where they were not read within the last hour. A failure is
 * logged and leaves the prices that are known: no machine may be hidden because of its price.
 */
export async function learnSpotPrices(session: CloudSession, types: Iterable<string>, call: Call): Promise<void> {
  const { byPool, until } = field(session);
  const now = session.clock.monotonic();
  const due = [...new Set(types)].filter((type) => now >= (until.get(type) ?? -Infinity)).slice(0, typesAtOnce);
  if (due.length === 0) return;
  // Concurrent observations do not ask again.
  for (const type of due) until.set(type, now + againMs);
  const at = new Date(session.cloudClock.now());
  try {
    for await (const page of pagesOf((next) =>
      session.read(
        (ec2) =>
          new ec2.DescribeSpotPriceHistoryCommand({
            InstanceTypes: due as never[],
            ProductDescriptions,
            // A range without length: the price of each pool that is in force at this time.
            StartTime: at,
            EndTime: at,
            MaxResults: 1_000,
            ...next,
          }),
        call,
      ),
    ))
      for (const { InstanceType, AvailabilityZone, SpotPrice } of page.SpotPriceHistory ?? []) {
        const price = Number(SpotPrice);
        if (InstanceType && AvailabilityZone && Number.isFinite(price) && price > 0)
          byPool.set(poolOf(InstanceType, AvailabilityZone), price);
      }
    for (const type of due) until.set(type, now + keptMs);
  } catch (error) {
    if (!isFault(error)) throw error;
    call.log.warn(
      { provider_instance: session.instance, code: error.code },
      `Spot prices could not be read; the cost of new Spot machines is that of the list until they can: ${error.message}`,
    );
  }
}
