import type { Clock } from '../clock.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import type { ProviderApi } from '../provider.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { SessionPool } from '../providers/session-pool.ts';
import { isSettled } from './counting.ts';
import { fallbackOrder } from './decide/fallback-order.ts';
import type { Circumstances } from './decide/next-step.ts';
import type { Holding } from './hold/holding.ts';
import type { Holdings } from './hold/holdings.ts';
import type { Settings } from './settings.ts';

/** What the loop has around it when it decides. */
export interface Surroundings {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly facts: Facts;
  readonly directory: ProviderDirectory;
  readonly pool: SessionPool;
  readonly holdings: Holdings;
  api(attempt: Pick<AttemptRecord, 'provider_type' | 'api'>): ProviderApi | undefined;
}

/** What the next step of a request rests on, as it is now. */
export function circumstancesOf(holding: Holding, around: Surroundings): Circumstances {
  const monotonic = around.clock.monotonic();
  const held_back = heldBack(holding, around, monotonic);
  return {
    now: around.clock.now(),
    monotonic,
    settings: around.settings,
    agenda: holding,
    fallbackOrder: () => fallbackOrder(holding.case.request, around.directory),
    capabilities(attempt) {
      const api = around.api(attempt);
      const connected = around.pool.known(attempt.provider_instance);
      if (!api || connected?.identity !== attempt.identity) return undefined;
      return { ...api.capabilities, disposes: api.dispose !== undefined, finds: api.find !== undefined };
    },
    ...(held_back === undefined ? {} : { held_back }),
  };
}

/** Why no attempt may be started now: its instance did not answer a moment ago, or has as many requests open as it may. */
function heldBack(holding: Holding, { directory, holdings }: Surroundings, monotonic: number): string | undefined {
  if (holding.held_back && holding.held_back.until > monotonic) return holding.held_back.why;
  const { request, attempts } = holding.case;
  const instance = directory.instance(request.provider_instance ?? '');
  const most = instance?.limits.max_concurrent_requests;
  // One that is disabled gets no orders: another is to serve.
  if (!instance?.enabled || most === null || most === undefined || attempts.length > 0) return undefined;
  const busy = holdings.count(
    (other) =>
      other !== holding && other.case.attempts.some((attempt) => attempt.provider_instance === instance.name && !isSettled(attempt)),
  );
  return busy < most ? undefined : `Waiting its turn: '${instance.name}' has ${busy} of ${most} requests open.`;
}
