import types from './instance-types.json' with { type: 'json' };
import rates from './rate-limits.json' with { type: 'json' };
import regionData from './regions.json' with { type: 'json' };

/**
 * One instance type of the catalogue. Prices are list prices in US dollars an hour, for comparisons, not for billing.
 */
export interface CatalogueInstanceType {
  readonly instance_type: string;
  readonly vcpus: number;
  /** Physical cores; half of `vcpus` where the processor runs two threads on a core. */
  readonly cores: number;
  readonly memory_mib: number;
  readonly arch: 'x86_64' | 'arm64';
  readonly on_demand_price: number;
  /** A typical Spot price; the real Spot price changes. */
  readonly spot_price: number;
  readonly gpus: number;
}

export interface CatalogueZone {
  readonly zone: string;
  readonly zone_id: string;
  /** Families that are not available in this zone, such as `p4d`. */
  readonly lacks: readonly string[];
}

export interface CatalogueSubnet {
  readonly subnet_id: string;
  readonly zone: string;
  readonly cidr: string;
  readonly vpc_id: string;
}

export interface CatalogueSecurityGroup {
  readonly group_id: string;
  readonly group_name: string;
  readonly vpc_id: string;
}

export interface CatalogueImage {
  readonly image_id: string;
  readonly name: string;
  readonly arch: 'x86_64' | 'arm64';
}

/** A region with the default network of its accounts. */
export interface CatalogueRegion {
  readonly vpc_id: string;
  readonly zones: readonly CatalogueZone[];
  readonly subnets: readonly CatalogueSubnet[];
  readonly security_groups: readonly CatalogueSecurityGroup[];
  readonly images: readonly CatalogueImage[];
  readonly key_names: readonly string[];
}

const byName = new Map((types as readonly CatalogueInstanceType[]).map((type) => [type.instance_type, type]));
const byRegion = new Map(Object.entries(regionData as unknown as Readonly<Record<string, CatalogueRegion>>));

/** All instance types of the catalogue by name, in the order of the file: by family, then by size. */
export const instanceTypes: ReadonlyMap<string, CatalogueInstanceType> = byName;

/** All regions of the catalogue by name. */
export const regions: ReadonlyMap<string, CatalogueRegion> = byRegion;

/** A token bucket: its capacity and its refill rate. */
export interface CatalogueBucket {
  readonly capacity: number;
  readonly per_second: number;
}

/** The default rate limits of EC2 as documented by AWS, per account and region. Every action has its own bucket. */
export interface CatalogueRates {
  /**
   * The bucket of an action that is not in `requests`: for a read, for a read without filter or page size, and for a
   * change.
   */
  readonly reading: CatalogueBucket;
  readonly reading_everything: CatalogueBucket;
  readonly changing: CatalogueBucket;
  readonly requests: Readonly<Record<string, CatalogueBucket>>;
  /** The bucket of the machines that an action starts or terminates, in addition to its calls. */
  readonly machines: Readonly<Record<string, CatalogueBucket>>;
}

export const rateLimits: CatalogueRates = rates;

/** The instance type, or `undefined` when the catalogue does not contain it. AWS may still have the type. */
export function instanceType(name: string): CatalogueInstanceType | undefined {
  return byName.get(name);
}

/** The region, or `undefined` when the catalogue does not contain it. */
export function region(name: string): CatalogueRegion | undefined {
  return byRegion.get(name);
}

/** The family of an instance type: `c6i` for `c6i.2xlarge`. */
export function familyOf(instanceTypeName: string): string {
  return instanceTypeName.slice(0, Math.max(0, instanceTypeName.indexOf('.')));
}
