import type { CallContext } from '../../state/call-context.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { checkCapacityBlock } from '../checks/capacity-block.ts';
import { checkPlacementGroup } from '../checks/placement-group.ts';
import { readKeyName, readProfile } from './launch-access.ts';
import { readMarket } from './launch-market.ts';
import { checkCreatesInterface, readLaunchNetwork } from './launch-network.ts';
import type { Market, LaunchSpec } from './launch-spec.ts';
import { readLaunchOptions } from './launch-options.ts';
import { readLaunchTags } from './launch-tags.ts';
import { readVolumes } from './launch-volumes.ts';
import { readImage, readType } from './read-image.ts';
import { checkUserData } from './user-data.ts';

/**
 * Checks the parameters of a launch, with the names of RunInstances. `params` override `template`; only tags are
 * merged. `market` is the fleet's choice; default: that of the parameters.
 */
export function readLaunchSpec(
  context: CallContext,
  params: Params,
  template: Params | undefined,
  market?: Market,
): LaunchSpec {
  const all: Params = { ...template, ...params };
  const type = readType(all, market !== undefined);
  const imageId = readImage(context, all, type);
  const chosen = readMarket(context, all, type, market);
  const userData = text(all, 'UserData');
  checkUserData(userData);
  const tags = readLaunchTags(params, template, chosen.market);
  if (tags.tagTypes.has('network-interface')) checkCreatesInterface(all);
  const spec: LaunchSpec = {
    imageId,
    type,
    ...chosen,
    network: readLaunchNetwork(context, all, type),
    keyName: readKeyName(context, all),
    profileArn: readProfile(context, all),
    ...tags,
    guarded: flag(all, 'DisableApiTermination') ?? false,
    userData,
    metadata: part(all, 'MetadataOptions'),
    volumes: readVolumes(all),
    options: readLaunchOptions(all, type),
  };
  checkPlacementGroup(context, spec.options);
  checkCapacityBlock(context, spec);
  return spec;
}
