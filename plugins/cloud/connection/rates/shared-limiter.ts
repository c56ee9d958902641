import type { Clock, PluginContext } from '../../../../core/index.ts';
import type { BucketSizes } from './bucket-sizes.ts';
import { rateLimiter, type RateLimiter } from './rate-limiter.ts';

interface Shared {
  readonly limiter: RateLimiter;
  readonly sizes: string;
  /** The instances that use it. The first one brought the sizes. */
  readonly users: string[];
}

/** By clock, since each broker has one; then by account, region and endpoint. */
const all = new WeakMap<Clock, Map<string, Shared>>();

/** A rate limiter that an instance shares with all others of its account and region in this process. */
export interface SharedLimiter extends RateLimiter {
  /** The account is known: from now on the instance uses the limiter of this place. */
  join(place: string): void;
  leave(): void;
}

/**
 * AWS limits the calls of an account in a region, whichever instance sends them. Until the account is known, the
 * instance has a limiter of its own, which becomes the shared one if it is the first.
 */
export function sharedLimiter(
  { instance, clock, log, share = () => 1 }: Pick<PluginContext, 'instance' | 'clock' | 'log' | 'share'>,
  sizes: BucketSizes,
): SharedLimiter {
  const own = rateLimiter(clock, sizes, share);
  let joined: { readonly place: string; readonly shared: Shared } | undefined;
  const present = (): RateLimiter => joined?.shared.limiter ?? own;

  function leave(): void {
    if (!joined) return;
    const { place, shared } = joined;
    joined = undefined;
    shared.users.splice(shared.users.indexOf(instance), 1);
    if (shared.users.length === 0) all.get(clock)?.delete(place);
  }

  return {
    acquire: (limited, machines, signal) => present().acquire(limited, machines, signal),
    isFree: (limited) => present().isFree(limited),
    throttled: (limited) => present().throttled(limited),
    state: () => present().state(),
    join(place) {
      if (joined?.place === place) return;
      leave();
      const places = all.get(clock) ?? new Map<string, Shared>();
      all.set(clock, places);
      const shared = places.get(place) ?? { limiter: own, sizes: JSON.stringify(sizes), users: [] };
      places.set(place, shared);
      const [first] = shared.users;
      if (first !== undefined && shared.sizes !== JSON.stringify(sizes))
        log.warn(
          { provider_instance: instance },
          `'${instance}' and '${first}' call AWS with one account in one region and share its rate limits. rate_limits.buckets of '${first}' count for both; set the same in '${instance}'.`,
        );
      shared.users.push(instance);
      joined = { place, shared };
    },
    leave,
  };
}
