import type { LiveBrokers } from '../../brokers/live-brokers.ts';
import type { Clock } from '../../contract/clock.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import { noticesTopic, type Facts } from '../../providers/facts.ts';
import type { SessionPool } from '../../providers/guard/session-pool.ts';
import { absentInstances, fallbackOrder } from './orders/fallback-order.ts';
import { refOf } from './pending-releases.ts';
import type { InFlight, PlanContext } from './plan-context.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import type { Cadence } from '../cadence/cadence.ts';
import type { RestingSlots } from '../cadence/resting-slots.ts';
import type { Stoppages } from '../../providers/quarantine/stoppages.ts';

/** The parts of the loop that a plan depends on. */
export interface PlanParts {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly facts: Facts;
  readonly directory: ProviderDirectory;
  readonly pool: SessionPool;
  readonly stoppages: Stoppages;
  readonly liveBrokers: Pick<LiveBrokers, 'has' | 'hasAll' | 'mayHaveAll'>;
  readonly cadence: Cadence;
  readonly restingSlots: RestingSlots;
  api(attempt: Pick<AttemptRecord, 'provider_type' | 'api'>): ProviderApi | undefined;
}

/** What the next step of a request depends on now. */
export function planContextOf(claimed: ClaimedRequest, inFlight: InFlight, parts: PlanParts): PlanContext {
  const monotonic = parts.clock.monotonic();
  const { held_back } = claimed;
  const left = (held_back?.until ?? 0) - monotonic;
  return {
    now: claimed.now(),
    monotonic,
    settings: parts.settings,
    agenda: claimed,
    inFlight,
    fallbackOrder: once(() =>
      fallbackOrder(claimed.state.request, parts.directory, parts.stoppages.excludedFor(claimed.request_id)),
    ),
    absentInstances: () =>
      absentInstances(claimed.state.request, parts.directory, parts.stoppages.excludedFor(claimed.request_id)),
    whereIs(instance) {
      if (parts.directory.instance(instance)) return 'here';
      if (parts.liveBrokers.has(instance)) return 'elsewhere';
      const absent = parts.directory.absent.find(({ name }) => name === instance);
      if (absent?.enabled === false) return 'nowhere';
      return parts.facts.served.wasServed(instance, claimed.state.request.created_at) ? 'lately' : 'nowhere';
    },
    wereTogetherLately: (instances) => parts.facts.served.wereTogether(instances.map(({ name }) => name)),
    mayBeElsewhere: (instances) => parts.liveBrokers.mayHaveAll(instances),
    areElsewhere: (instances) => parts.liveBrokers.hasAll(instances),
    takesOrders: (instance) => parts.directory.instance(instance)?.enabled === true,
    isUnhealthy: (instance) => parts.directory.health(instance).status === 'unhealthy',
    quarantined: ({ provider_instance, order }) =>
      parts.pool.quarantined(provider_instance, order.template.template_id)?.message,
    sendsNotices: (instance) => parts.facts.get(noticesTopic, instance) !== undefined,
    outOfReach({ provider_instance: name, identity, api }) {
      if (!parts.directory.instance(name)) return `'${name}' is not configured`;
      const connected = parts.pool.known(name);
      if (!connected) return undefined;
      if (connected.identity !== identity) return `'${name}' speaks to another cloud than when it got the order`;
      return connected.api(api) ? undefined : `'${name}' has no API '${api}' any more`;
    },
    capabilities(attempt) {
      const api = parts.api(attempt);
      const connected = parts.pool.known(attempt.provider_instance);
      if (!api || connected?.identity !== attempt.identity) return undefined;
      return { ...api.capabilities, disposes: api.dispose !== undefined, finds: api.find !== undefined };
    },
    movingIntervalMs: (attempt) => parts.cadence.intervalOf(claimed, attempt),
    replacementsWaitMs: Math.max(left, claimed.replacements_at - monotonic),
    offersOfMachines({ provider_instance, api, offers }, machines) {
      const mine = machines.filter((machine) => machine.provider_instance === provider_instance);
      return parts.directory.offersOfMachines(provider_instance, api, mine.map(refOf), offers);
    },
    restingOffsetMs: (attempt, interval) => parts.restingSlots.offsetOf(claimed, attempt, interval),
    ...(held_back === undefined || left <= 0 ? {} : { held_back: { why: held_back.why, ms: left } }),
  };
}

/** One plan asks as often as it has attempts. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
