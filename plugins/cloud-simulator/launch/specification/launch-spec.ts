import type { CatalogueInstanceType } from '../../catalogue.ts';
import type { LaunchOptions } from './launch-options.ts';
import type { LaunchVolume } from './launch-volumes.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import type { Tags } from '../../state/tags.ts';
import type { Params } from '../../wire/form.ts';

export type Market = 'on-demand' | 'spot';

/** What a launch is made of, checked. Shared by all machines of the launch. */
export interface LaunchSpec {
  readonly imageId: string;
  readonly type: CatalogueInstanceType;
  readonly market: Market;
  /** The most that a Spot machine may cost an hour; undefined = the on-demand price. */
  readonly maxPrice: number | undefined;
  readonly network: LaunchNetwork;
  readonly keyName: string | undefined;
  readonly profileArn: string | undefined;
  readonly tags: Tags;
  /** Tags of the Spot requests, apart from those of their machines. */
  readonly requestTags: Tags;
  /** Termination protection. */
  readonly guarded: boolean;
  readonly metadata: Params | undefined;
  readonly volumes: readonly LaunchVolume[];
  readonly options: LaunchOptions;
}

/** Where a launch may go and how its machines are connected. */
export interface LaunchNetwork {
  /** The subnet that was named; decides the zone. */
  readonly subnet: Subnet | undefined;
  /** The zone that was named, or that of the subnet; undefined = any zone of the region. */
  readonly zone: string | undefined;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly publicAddress: boolean;
  /** The offset in the subnet of the address that was named, for the one machine of the launch. */
  readonly address: number | undefined;
}
