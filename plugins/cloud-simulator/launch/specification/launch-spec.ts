import type { CatalogueInstanceType } from '../../catalogue.ts';
import type { Moment } from '../../dispatch/call-context.ts';
import type { Tags } from '../../state/tags.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { readKeyName, readProfile } from './launch-access.ts';
import { readMarket } from './launch-market.ts';
import { type LaunchNetwork, readLaunchNetwork } from './launch-network.ts';
import { type LaunchOptions, readLaunchOptions } from './launch-options.ts';
import { readLaunchTags } from './launch-tags.ts';
import { type LaunchVolume, readVolumes } from './launch-volumes.ts';
import { readImage, readType } from './read-image.ts';
import { checkUserData } from './user-data.ts';

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

/**
 * Checks what is to be launched, in the names of RunInstances. `template` lies under `params`: tags of both are joined, of
 * everything else the call's own wins. `market` is the fleet's choice; without it the launch itself says.
 */
export function readLaunchSpec(moment: Moment, params: Params, template: Params | undefined, market?: Market): LaunchSpec {
  const all: Params = { ...template, ...params };
  const type = readType(all, market !== undefined);
  const imageId = readImage(moment, all, type);
  const chosen = readMarket(moment, all, type, market);
  checkUserData(text(all, 'UserData'));
  return {
    imageId,
    type,
    ...chosen,
    network: readLaunchNetwork(moment, all),
    keyName: readKeyName(moment, all),
    profileArn: readProfile(moment, all),
    ...readLaunchTags(params, template, chosen.market),
    guarded: flag(all, 'DisableApiTermination') ?? false,
    metadata: part(all, 'MetadataOptions'),
    volumes: readVolumes(all),
    options: readLaunchOptions(all, type),
  };
}
