import type { ActionCall } from '../../dispatch/action.ts';
import type { FleetTarget } from '../../state/fleets/fleet-target.ts';
import { noTags, readTagSpecifications, type Tags } from '../../state/tags.ts';
import { echoXml } from '../../wire/xml/echo-xml.ts';
import { targetXml } from '../../wire/xml/fleet-xml.ts';
import { part, parts } from '../../wire/form.ts';
import { node } from '../../wire/xml/xml.ts';
import { checkUnits, configsXml, machineTags, readTemplatePools } from './fleet-pools.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';
import { type MarketOptions, readMarketOptions, readTarget } from './fleet-request.ts';

/** The request of CreateFleet for a fleet of type instant. */
export interface InstantRequest {
  readonly target: FleetTarget;
  readonly markets: readonly MarketOptions[];
  readonly pools: readonly FleetPool[];
  readonly tags: Tags;
  /** The parts of its description that only echo the call. */
  readonly echoXml: string;
}

export function readInstantFleet(call: ActionCall): InstantRequest {
  const { params } = call;
  const target = readTarget(params, 1);
  const markets = readMarketOptions(params, target);
  const tags = readTagSpecifications(params).get('fleet') ?? noTags;
  const configs = parts(params, 'LaunchTemplateConfigs');
  const pools = readTemplatePools(call, configs, {
    instant: true,
    tags: machineTags(part(params, 'TagSpecification') ?? {}),
  });
  checkUnits(target, pools);
  const options =
    node('spotOptions', echoXml(part(params, 'SpotOptions') ?? {})) +
    node('onDemandOptions', echoXml(part(params, 'OnDemandOptions') ?? {}));
  return { target, markets, pools, tags, echoXml: configsXml(call, configs, true) + options + targetXml(target) };
}
