import { priceOf } from '../../capacity.ts';
import type { CallContext } from '../call-context.ts';
import { type Instance, isLive } from './instance.ts';

/**
 * The Spot request of a machine at a time. It is derived from the machine, not stored; requests are one-time and
 * fulfilled at once.
 */
export interface SpotRequest {
  readonly id: string;
  readonly instance: Instance;
  readonly state: 'active' | 'closed' | 'cancelled';
  readonly status: { readonly code: string; readonly message: string; readonly updatedAt: number };
  /** Maximum price of the machine per hour. */
  readonly price: number;
}

const messages: Readonly<Record<string, string>> = {
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
    state,
    status: { code, message: messages[code] ?? code, updatedAt },
    price: maxPrice ?? priceOf(context, onDemand),
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
    if (reason?.code.startsWith('Client.')) return ['closed', 'instance-terminated-by-user', at];
    if (interruption === undefined) return ['cancelled', 'instance-terminated-by-service', at];
    return [
      'closed',
      interruption.code,
      interruption.code === 'instance-terminated-by-price' ? at : interruption.noticedAt,
    ];
  }
  if (interruption === undefined) return ['active', 'fulfilled', instance.launchedAt];
  if (interruption.code === 'instance-terminated-by-price')
    return ['active', 'marked-for-termination', interruption.noticedAt];
  return ['closed', interruption.code, interruption.noticedAt];
}
