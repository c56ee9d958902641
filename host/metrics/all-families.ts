import type { BrokerState } from './broker-families.ts';
import type { Family } from './family.ts';

/** A broker, as the metrics of its server are read from it. */
interface Measured extends BrokerState {
  measures(): Promise<readonly (readonly Family[])[]>;
}

/** The metrics of a server: the state of its broker, and what each of its threads and processes counted. */
export async function allFamilies(broker: Measured): Promise<readonly (readonly Family[])[]> {
  const { brokerFamilies } = await import('./broker-families.ts');
  const [known, counted] = await Promise.all([brokerFamilies(broker), broker.measures()]);
  return [known, ...counted];
}

/** A registry of prom-client that adds up families by name and labels. Loads the library at the first call. */
export async function registryOf(sources: readonly (readonly Family[])[]) {
  const { AggregatorRegistry } = await import('prom-client');
  // The library accepts the JSON of another registry, which has the shape of families.
  return AggregatorRegistry.aggregate(
    sources.map((families) => families.filter(({ values }) => values.length > 0)) as object[],
  );
}

/** The sums that the registry shows, as families. */
export async function summedFamilies(sources: readonly (readonly Family[])[]): Promise<readonly Family[]> {
  const registry = await registryOf(sources);
  return (await registry.getMetricsAsJSON()) as unknown as readonly Family[];
}
