import type { Action, ActionCall } from '../../dispatch/action.ts';
import { insufficientCapacity } from '../../capacity.ts';
import { usualType } from '../../catalogue.ts';
import { deliveryLimit } from '../../dispatch/faults.ts';
import { readLaunchSpec } from '../../launch/specification/read-launch-spec.ts';
import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import { once } from '../../launch/once.ts';
import { callerAsLauncher, checkLaunch } from '../../launch/permission.ts';
import { place, placeInFirstZone } from '../../launch/place.ts';
import { startInstances } from '../../launch/start-instances.ts';
import { readForToken } from '../../launch/unseen.ts';
import { findTemplate, findVersion, templateNames } from '../../launch/specification/template-data.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { instanceXml } from '../../wire/xml/instance-xml.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';
import { integer } from '../../wire/values.ts';

/**
 * Starts between MinCount and MaxCount machines in one zone, as many as possible; none if fewer than MinCount fit. A
 * partial success has no error.
 */
export const runInstances: Action = {
  name: 'RunInstances',
  mutating: true,
  resources: (params) => integer(params, 'MaxCount') ?? 0,
  handle(call) {
    const { state, token } = call;
    // If the launch names a zone, the token belongs to that zone: the same token in another zone launches again.
    const done = scopeOfReplay(call);
    const asked = done === undefined ? readForToken(call, () => read(call)) : undefined;
    const scope = done ?? asked?.spec.network.zone ?? '';
    const { result: instances, replayed } = once(call, { scope }, () => start(call, asked as Asked));
    if (replayed) checkReplay(call, instances);
    else if (token) state.launchesByToken.set(token, (state.launchesByToken.get(token) ?? 0) + instances.length);
    return reservationXml(call, instances);
  },
};

interface Asked {
  readonly min: number;
  readonly max: number;
  readonly spec: LaunchSpec;
}

function read(call: ActionCall): Asked {
  const { min, max } = readCounts(call.params);
  const spec = readSpec(call);
  checkLaunch(call, callerAsLauncher(call, 'RunInstances'), {
    spec,
    subnet: spec.network.subnet?.id,
    template: templateNames(call, part(call.params, 'LaunchTemplate')),
  });
  if (spec.network.address !== undefined && max > 1)
    throw invalidCombination('A private address can be specified for one instance only.');
  return { min, max, spec };
}

/**
 * The scope of a token whose call is a replay. The parameters of a replay are not read, because its template may have
 * been deleted.
 */
function scopeOfReplay({ action, token, paramsHash, state, now }: ActionCall): string | undefined {
  return token === undefined
    ? undefined
    : state.tokens.doneIn({ action, token }, ['', ...state.network.zones], paramsHash, now);
}

function start(call: ActionCall, { min, max, spec }: Asked): readonly Instance[] {
  const isOpen = spec.network.zone === undefined && call.knobs.zone_choice === 'first';
  const placement = isOpen ? placeInFirstZone(call, spec) : place(call, spec);
  const { address } = spec.network;
  if (address !== undefined && placement.subnet.holds(address))
    throw new AwsError('InvalidIPAddress.InUse', `Address ${placement.subnet.address(address)} is in use.`);
  const room = Math.min(placement.room, deliveryLimit(call, call.action));
  if (room < min) throw placement.room < min ? placement.refusal : insufficientCapacity(placement.pool);
  return startInstances(call, { spec, placement, count: Math.min(max, room), token: call.token });
}

function readCounts(params: Params): { min: number; max: number } {
  const min = integer(params, 'MinCount');
  const max = integer(params, 'MaxCount');
  if (min === undefined) throw missingParameter('MinCount');
  if (max === undefined) throw missingParameter('MaxCount');
  if (min < 1) throw invalidParameter(`Value (${min}) for parameter minCount is invalid. Must be at least 1.`);
  if (max < min) throw invalidCombination('The value of MaxCount cannot be smaller than MinCount.');
  return { min, max };
}

function readSpec(call: ActionCall): LaunchSpec {
  const named = part(call.params, 'LaunchTemplate');
  if (named === undefined) return readLaunchSpec(call, call.params, withType({}));
  const template = findTemplate(call, named);
  const { number, data } = findVersion(call, template, text(named, 'Version'));
  const spec = readLaunchSpec(call, call.params, withType(data));
  return { ...spec, template: { id: template.id, version: String(number) } };
}

/** Launch data with the type that AWS takes if neither the call nor its template names one. */
function withType(data: Params): Params {
  return data['InstanceRequirements'] === undefined ? { InstanceType: usualType.instance_type, ...data } : data;
}

function checkReplay(call: ActionCall, instances: readonly Instance[]): void {
  const ended = instances.every((instance) => stateOf(instance, call.now) === 'terminated');
  if (ended && call.knobs.tokens.terminated_replay === 'error') {
    throw new AwsError(
      'IdempotentInstanceTerminated',
      'The instances launched with this client token have been terminated.',
    );
  }
}

function reservationXml(call: ActionCall, instances: readonly Instance[]): string {
  const first = instances[0] as Instance;
  return (
    leaf('reservationId', first.reservation.id) +
    leaf('ownerId', call.state.account) +
    '<groupSet/>' +
    itemSet('instancesSet', instances, (instance) => instanceXml(instance, call.state, call.now))
  );
}
