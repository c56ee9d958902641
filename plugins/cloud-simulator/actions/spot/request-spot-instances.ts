import { usualType } from '../../catalogue.ts';
import type { Action, ActionCall } from '../../dispatch/action.ts';
import { onceRead } from '../../launch/fleets/fleet-once.ts';
import { fulfillLater } from '../../launch/fulfill-spot-request.ts';
import { callerAsLauncher, checkLaunch } from '../../launch/permission.ts';
import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import { readLaunchSpec } from '../../launch/specification/read-launch-spec.ts';
import { newSpotRequestId } from '../../launch/start-instances.ts';
import type { OpenSpotRequest } from '../../state/instances/open-spot-requests.ts';
import { openSpotRequestOf } from '../../state/instances/spot-requests.ts';
import { allowance } from '../../state/quotas.ts';
import { readTagSpecifications } from '../../state/tags.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part } from '../../wire/form.ts';
import { integer, oneOf, time } from '../../wire/values.ts';
import { itemSet } from '../../wire/xml/xml.ts';
import { requestXml } from './describe-spot-instance-requests.ts';

/** Number of requests that a call can make. */
const maxCount = 3000;

interface Asked {
  readonly count: number;
  readonly spec: LaunchSpec;
  readonly validFrom: number;
  readonly validUntil: number | undefined;
}

/**
 * Makes Spot requests, one for each machine. They are evaluated afterwards: a request for which there is no capacity
 * stays open and is evaluated again.
 */
export const requestSpotInstances: Action = {
  name: 'RequestSpotInstances',
  mutating: true,
  handle(call) {
    const { result: requests } = onceRead(
      call,
      () => read(call),
      (asked) => open(call, asked),
    );
    return itemSet('spotInstanceRequestSet', requests, (one) => requestXml(openSpotRequestOf(call, one)));
  },
};

function read(call: ActionCall): Asked {
  const { params, now } = call;
  const count = integer(params, 'InstanceCount') ?? 1;
  if (count < 1 || count > maxCount)
    throw invalidParameter(`Value (${count}) for parameter instanceCount is invalid. Expected 1 to ${maxCount}.`);
  const wrong = [...readTagSpecifications(params).keys()].find((type) => type !== 'spot-instances-request');
  if (wrong !== undefined)
    throw invalidParameter(`'${wrong}' is not a valid taggable resource type for this operation.`);
  const validUntil = time(params, 'ValidUntil');
  if (validUntil !== undefined && validUntil <= now)
    throw invalidParameter('The value of parameter validUntil must be in the future.');
  return {
    count,
    spec: readSpec(call),
    validFrom: Math.max(now, time(params, 'ValidFrom') ?? now),
    validUntil,
  };
}

function readSpec(call: ActionCall): LaunchSpec {
  const { params } = call;
  const launch = part(params, 'LaunchSpecification');
  if (launch === undefined) throw missingParameter('LaunchSpecification');
  if (oneOf(params, 'Type', ['one-time', 'persistent']) === 'persistent')
    throw new AwsError('UnsupportedOperation', 'Persistent Spot requests are not simulated.');
  const spot: Params = {};
  for (const [name, option] of [
    ['SpotPrice', 'MaxPrice'],
    ['InstanceInterruptionBehavior', 'InstanceInterruptionBehavior'],
    ['BlockDurationMinutes', 'BlockDurationMinutes'],
  ] as const) {
    const value = params[name];
    if (value !== undefined) spot[option] = value;
  }
  const tags = params['TagSpecification'];
  const all: Params = {
    InstanceType: usualType.instance_type,
    ...launch,
    ...(Object.keys(spot).length === 0 ? {} : { InstanceMarketOptions: { SpotOptions: spot } }),
    ...(tags === undefined ? {} : { TagSpecification: tags }),
  };
  const spec = readLaunchSpec(call, all, undefined, 'spot');
  checkLaunch(call, callerAsLauncher(call, 'RequestSpotInstances'), {
    spec,
    subnet: spec.network.subnet?.id,
    template: [],
  });
  return spec;
}

function open(call: ActionCall, { count, spec, validFrom, validUntil }: Asked): readonly OpenSpotRequest[] {
  const { state, now, random, knobs } = call;
  const quota = allowance(knobs.quotas, state.usage, spec.type, 'spot');
  if (quota !== undefined && quota.left < count) throw quota.refusal();
  return Array.from({ length: count }, () => {
    const request: OpenSpotRequest = {
      id: newSpotRequestId(random),
      place: state.nextPlace++,
      spec,
      createdAt: now,
      validFrom,
      validUntil,
      tags: spec.requestTags,
      state: 'open',
      status: { code: validFrom > now ? 'not-scheduled-yet' : 'pending-evaluation', updatedAt: now },
    };
    state.openSpotRequests.set(request.id, request);
    call.touched.push(request.id);
    fulfillLater(call, request);
    return request;
  });
}
