import { mergeTags, noTags, readTagSpecifications } from '../../state/tags.ts';
import { invalidParameter } from '../../wire/errors.ts';
import type { Params } from '../../wire/form.ts';
import type { LaunchSpec, Market } from './launch-spec.ts';

const taggable = new Set(['instance', 'volume', 'network-interface', 'elastic-gpu', 'spot-instances-request']);

/**
 * Reads the tags of machines, their Spot requests, volumes and interfaces, and the resource types that the launch
 * tags. Tags of the template and of the call are merged.
 */
export function readLaunchTags(
  params: Params,
  template: Params | undefined,
  market: Market,
): Pick<LaunchSpec, 'tags' | 'requestTags' | 'volumeTags' | 'interfaceTags' | 'tagTypes'> {
  let tags = noTags;
  let requestTags = noTags;
  let volumeTags = noTags;
  let interfaceTags = noTags;
  const tagTypes = new Set<string>();
  for (const source of [template, params]) {
    if (source === undefined) continue;
    const byType = readTagSpecifications(source);
    const wrong = [...byType.keys()].find((type) => !taggable.has(type));
    if (wrong !== undefined)
      throw invalidParameter(`'${wrong}' is not a valid taggable resource type for this operation.`);
    if (market === 'on-demand' && byType.has('spot-instances-request')) {
      throw invalidParameter(
        'The value for tag specification resource type spot-instances-request can only be used with Spot Instances.',
      );
    }
    for (const type of byType.keys()) tagTypes.add(type);
    tags = mergeTags(tags, byType.get('instance') ?? noTags);
    requestTags = mergeTags(requestTags, byType.get('spot-instances-request') ?? noTags);
    volumeTags = mergeTags(volumeTags, byType.get('volume') ?? noTags);
    interfaceTags = mergeTags(interfaceTags, byType.get('network-interface') ?? noTags);
  }
  return { tags, requestTags, volumeTags, interfaceTags, tagTypes };
}
