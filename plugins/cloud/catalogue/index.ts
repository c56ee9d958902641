import types from './instance-types.json' with { type: 'json' };
import rates from './rate-limits.json' with { type: 'json' };
import regionData from './regions.json' with { type: 'json' };

/**
 * What the catalogue knows of one instance type. Prices are list prices in US dollars an hour, for comparing, not for
 * billing.
 */
export interface CatalogueInstanceType {
  readonly instance_type: string;
  readonly vcpus: number;
  /** Physical cores; half of `vcpus` where the processor runs two threads on a core. */
  readonly cores: number;
  readonly memory_mib: number;
  readonly arch: 'x86_64' | 'arm64';
  readonly on_demand_price: number;
  /** A typical Spot price; the market's own moves. */
  readonly spot_price: number;
  readonly gpus: number;
}

export interface CatalogueZone {
  readonly zone: string;
  readonly zone_id: string;
  /** Families (`p4d`) that this zone does not have. */
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

/** All known instance types by name, in the order of the file (family by family, small to large). */
export const instanceTypes: ReadonlyMap<string, CatalogueInstanceType> = byName;

/** All known regions by name. */
export const regions: ReadonlyMap<string, CatalogueRegion> = byRegion;

/** A token bucket: what it holds at most, and what flows in each second. */
export interface CatalogueBucket {
  readonly capacity: number;
  readonly per_second: number;
}

/** AWS's documented default rates of EC2, per account and region. Every action has a bucket of its own. */
export interface CatalogueRates {
  /**
   * Of an action that is not in `requests`: one that reads, one that reads without filter or page, one that changes.
   */
  readonly reading: CatalogueBucket;
  readonly reading_everything: CatalogueBucket;
  readonly changing: CatalogueBucket;
  readonly requests: Readonly<Record<string, CatalogueBucket>>;
  /** Machines that an action starts or ends, counted beside its calls. */
  readonly machines: Readonly<Record<string, CatalogueBucket>>;
}

export const rateLimits: CatalogueRates = rates;

/** One type, or `undefined` when the catalogue does not know it (which says nothing about AWS). */
export function instanceType(name: string): CatalogueInstanceType | undefined {
  return byName.get(name);
}

/** One region, or `undefined` when the catalogue does not know it. */
export function region(name: string): CatalogueRegion | undefined {
  return byRegion.get(name);
}

/** The family of a type: `c6i` of `c6i.2xlarge`. */
export function familyOf(instanceTypeName: string): string {
  return instanceTypeName.slice(0, Math.max(0, instanceTypeName.indexOf('.')));
}
