import type { Clock } from '../contract/clock.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { SessionPool } from '../providers/guard/session-pool.ts';
import type { ClaimedRequest } from './claims/claimed-request.ts';
import type { StepsInFlight } from './execute/steps-in-flight.ts';
import type { Step } from './plan/step.ts';

/** The shortest pause between two attempts to connect to an instance for one request. */
const pauseMs = 10_000;

interface Connections {
  readonly pool: Pick<SessionPool, 'known'>;
  readonly directory: Pick<ProviderDirectory, 'instance'>;
  readonly clock: Clock;
}

type Reaching = Pick<StepsInFlight, 'reaches'>;

/** Connects to the instances of a request's attempts without a session, because decisions about them need one. */
export function reachesDue(claimed: ClaimedRequest, inFlight: Reaching, parts: Connections): readonly Step[] {
  const now = parts.clock.monotonic();
  return unreached(claimed, inFlight, parts).flatMap((instance): Step[] =>
    now < (claimed.reached_at.get(instance) ?? -Infinity) + pauseMs ? [] : [{ do: 'reach', instance }],
  );
}

/** Milliseconds until one of them is connected to again. */
export function reachesAgainMs(claimed: ClaimedRequest, inFlight: Reaching, parts: Connections): number {
  const times = unreached(claimed, inFlight, parts).map((name) => claimed.reached_at.get(name) ?? Infinity);
  return Math.min(...times) + pauseMs - parts.clock.monotonic();
}

function unreached(
  { state }: ClaimedRequest,
  inFlight: Reaching,
  { pool, directory }: Connections,
): readonly string[] {
  const names = new Set<string>();
  for (const { disposed, provider_instance: name } of state.attempts)
    if (!disposed && !pool.known(name) && directory.instance(name) && !inFlight.reaches(name)) names.add(name);
  return [...names];
}
