import type { Action } from '../../action.ts';
import { configsXml, readFleetPools } from '../../launch/fleet-pools.ts';
import { readMarketOptions, readTarget } from '../../launch/fleet-request.ts';
import { launchInstantFleet } from '../../launch/instant-fleet.ts';
import { once } from '../../launch/once.ts';
import type { Fleet, FleetTarget } from '../../state/fleets.ts';
import { noTags, readTagSpecifications } from '../../state/tags.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { fleetOutcomeXml } from '../../wire/fleet-xml.ts';
import type { Params } from '../../wire/form.ts';
import { oneOf } from '../../wire/values.ts';
import { leaf, node } from '../../wire/xml.ts';

/** Makes an instant fleet: one attempt, whose answer has the machines and the errors of pools side by side, and is a 200 with none at all too. */
export const createFleet: Action = {
  name: 'CreateFleet',
  mutating: true,
  handle(call) {
    const { state, params, random, token } = call;
    const type = oneOf(params, 'Type', ['instant', 'request', 'maintain']) ?? 'maintain';
    if (type !== 'instant')
      throw invalidParameter(`Value (${type}) for parameter Type is invalid: the simulated cloud makes fleets of type instant only.`);
    const target = readTarget(params);
    const markets = readMarketOptions(params, target);
    const fleetTags = readTagSpecifications(params).get('fleet') ?? noTags;
    const pools = readFleetPools(call);

    const { result: fleet, replayed } = once(call, {}, () => {
      const id = `fleet-${uuid(random.hex(32))}`;
      call.touched.push(id);
      const { launches, errors } = launchInstantFleet(call, id, pools, markets);
      const made: Fleet = {
        id,
        type,
        createdAt: call.now,
        token,
        target,
        echoXml: configsXml(call) + optionsXml(params) + targetXml(target),
        launches,
        errors,
        tags: fleetTags,
        deletedAt: undefined,
      };
      state.fleets.set(id, made);
      if (token !== undefined) {
        const started = launches.reduce((sum, launch) => sum + launch.instanceIds.length, 0);
        state.launchesByToken.set(token, (state.launchesByToken.get(token) ?? 0) + started);
      }
      return made;
    });
    const bare = replayed && call.knobs.tokens.fleet_replay === 'bare';
    return leaf('fleetId', fleet.id) + (bare ? '' : fleetOutcomeXml(fleet.launches, fleet.errors));
  },
};

function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function targetXml(target: FleetTarget): string {
  return node(
    'targetCapacitySpecification',
    leaf('totalTargetCapacity', target.total) +
      leaf('onDemandTargetCapacity', target.onDemand) +
      leaf('spotTargetCapacity', target.spot) +
      leaf('defaultTargetCapacityType', target.defaultType) +
      leaf('targetCapacityUnitType', target.unitType),
  );
}

function optionsXml(params: Params): string {
  const echo = (name: string, element: string) => {
    const options = params[name];
    if (typeof options !== 'object') return '';
    const leaves = Object.entries(options).map(([key, value]) =>
      typeof value === 'string' ? leaf(key.charAt(0).toLowerCase() + key.slice(1), value) : '',
    );
    return node(element, leaves.join(''));
  };
  return echo('SpotOptions', 'spotOptions') + echo('OnDemandOptions', 'onDemandOptions');
}
