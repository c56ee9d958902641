import type { CatalogueInstanceType } from '../../catalogue.ts';
import type { LaunchOptions } from './launch-options.ts';
import type { LaunchVolume } from './launch-volumes.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import type { Tags } from '../../state/tags.ts';
import type { Params } from '../../wire/form.ts';

export const marketNames = ['on-demand', 'spot', 'capacity-block'] as const;
/** How a machine is paid for. A machine of a capacity block was paid for in advance, with its block. */
export type Market = (typeof marketNames)[number];

/** A value for each market. */
export const byMarket = <Value>(value: () => Value): Record<Market, Value> =>
  Object.fromEntries(marketNames.map((market) => [market, value()])) as Record<Market, Value>;

/** The checked parameters of a launch, shared by all its machines. */
export interface LaunchSpec {
  readonly imageId: string;
  readonly type: CatalogueInstanceType;
  readonly market: Market;
  /** Maximum price of a Spot machine per hour; undefined = the On-Demand price. */
  readonly maxPrice: number | undefined;
  readonly network: LaunchNetwork;
  readonly keyName: string | undefined;
  readonly profileArn: string | undefined;
  readonly tags: Tags;
  /** Tags of the Spot requests, of the volumes and of the interfaces, apart from those of their machines. */
  readonly requestTags: Tags;
  readonly volumeTags: Tags;
  readonly interfaceTags: Tags;
  /** As received, in base64. */
  readonly userData: string | undefined;
  /** Resource types that the launch tags. */
  readonly tagTypes: ReadonlySet<string>;
  /** Termination protection. */
  readonly guarded: boolean;
  readonly metadata: Params | undefined;
  readonly volumes: readonly LaunchVolume[];
  readonly options: LaunchOptions;
  /** The version of the launch template that the machines come from, which their tags show. */
  readonly template?: LaunchedFrom | undefined;
}

/** A version of a launch template. */
export interface LaunchedFrom {
  readonly id: string;
  readonly version: string;
}

/** Where a launch may go and how its machines are connected. */
export interface LaunchNetwork {
  /** The named subnet, which determines the zone. */
  readonly subnet: Subnet | undefined;
  /** The named zone, or the zone of the subnet; undefined = any zone of the region. */
  readonly zone: string | undefined;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly publicAddress: boolean;
  readonly interfaces: readonly LaunchInterface[];
  /** Offset in the subnet of the named private address; only for launches of one machine. */
  readonly address: number | undefined;
  /** Number of private addresses of each machine beside the first. */
  readonly secondaryAddresses: number;
}

/** A network interface of every machine of a launch. */
export interface LaunchInterface {
  readonly type: 'interface' | 'efa' | 'efa-only';
  readonly device: number;
  readonly card: number;
}
