import { priceOf } from '../../capacity.ts';
import type { CallContext } from '../call-context.ts';
import { type Instance, isLive } from './instance.ts';
import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import type { Tags } from '../tags.ts';
import type { OpenSpotRequest } from './open-spot-requests.ts';
import { requestTagsOf } from './part-tags.ts';

/**
 * A Spot request at a time. That of a machine is derived from the machine, not stored. All requests are one-time.
 */
export interface SpotRequest {
  readonly id: string;
  /** The machine that fulfills it; undefined while there is none. */
  readonly instance: Instance | undefined;
  readonly spec: LaunchSpec;
  readonly tags: Tags;
  /** The place of the request in lists. */
  readonly place: number;
  readonly createdAt: number;
  readonly validFrom: number;
  readonly validUntil: number | undefined;
  readonly state: 'open' | 'active' | 'closed' | 'cancelled';
  readonly status: { readonly code: string; readonly message: string; readonly updatedAt: number };
  /** Maximum price of the machine per hour. */
  readonly price: number;
}

const messages: Readonly<Record<string, string>> = {
  'pending-evaluation': 'Your Spot request has been submitted for review, and is pending evaluation.',
  'not-scheduled-yet': 'Your Spot request will not be evaluated until the scheduled date.',
  'capacity-not-available': 'There is no Spot capacity available that matches your request.',
  'price-too-low': 'Your price is lower than the minimum required Spot request fulfillment price.',
  'constraint-not-fulfillable': 'A constraint of your Spot request cannot be fulfilled.',
  'schedule-expired': 'Your Spot request expired before it was fulfilled.',
  'canceled-before-fulfillment': 'You canceled your Spot request before it was fulfilled.',
  'request-canceled-and-instance-running': 'You canceled your Spot request, and its instance still runs.',
  fulfilled: 'Your spot request is fulfilled.',
  'marked-for-termination': 'Your instance is marked for termination, as the Spot price is above your price.',
  'instance-terminated-by-price': 'Your instance was terminated, as the Spot price was above your price.',
  'instance-terminated-no-capacity':
    'Your instance was terminated, as there is no Spot capacity that matches your request.',
  'instance-terminated-by-user': 'You terminated the instance of your Spot request.',
  'instance-terminated-by-service': 'The instance of your Spot request was terminated by the service.',
};

/** The Spot request of a machine; undefined for machines of the other market. */
export function spotRequestOf(context: CallContext, instance: Instance): SpotRequest | undefined {
  if (instance.spotRequestId === undefined) return undefined;
  const { type, maxPrice } = instance.reservation.spec;
  const [state, code, updatedAt] = standing(instance, context.now);
  const onDemand = { instanceType: type.instance_type, zone: instance.zone, market: 'on-demand' as const };
  return {
    id: instance.spotRequestId,
    instance,
    spec: instance.reservation.spec,
    tags: requestTagsOf(context.state, instance),
    place: instance.place,
    createdAt: instance.launchedAt,
    validFrom: instance.launchedAt,
    validUntil: undefined,
    state,
    status: { code, message: messages[code] ?? code, updatedAt },
    price: maxPrice ?? priceOf(context, onDemand),
  };
}

/** A Spot request that has no machine. */
export function openSpotRequestOf(context: CallContext, open: OpenSpotRequest): SpotRequest {
  const { type, maxPrice } = open.spec;
  const zone = open.spec.network.zone ?? (context.state.network.zones[0] as string);
  return {
    ...open,
    instance: undefined,
    status: { ...open.status, message: messages[open.status.code] ?? open.status.code },
    price: maxPrice ?? priceOf(context, { instanceType: type.instance_type, zone, market: 'on-demand' }),
  };
}

/**
 * As in AWS, missing capacity closes the request with the notice, with the code of a terminated machine, although the
 * machine runs until the notice period ends. A price that is too high only marks the request first.
 */
function standing(instance: Instance, now: number): [state: SpotRequest['state'], code: string, at: number] {
  const { interruption, reason } = instance;
  if (!isLive(instance, now)) {
    const at = instance.shutdownAt as number;
    if (reason?.code.startsWith('Client.'))
      return [instance.requestCancelledAt === undefined ? 'closed' : 'cancelled', 'instance-terminated-by-user', at];
    if (interruption === undefined) return ['cancelled', 'instance-terminated-by-service', at];
    return [
      'closed',
      interruption.code,
      interruption.code === 'instance-terminated-by-price' ? at : interruption.noticedAt,
    ];
  }
  if (instance.requestCancelledAt !== undefined)
    return ['cancelled', 'request-canceled-and-instance-running', instance.requestCancelledAt];
  if (interruption === undefined) return ['active', 'fulfilled', instance.launchedAt];
  if (interruption.code === 'instance-terminated-by-price')
    return ['active', 'marked-for-termination', interruption.noticedAt];
  return ['closed', interruption.code, interruption.noticedAt];
}
