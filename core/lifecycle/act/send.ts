import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { ProviderApi } from '../../provider.ts';
import { guard } from '../../providers/guard.ts';
import type { Connected } from '../../providers/session-pool.ts';
import { absorbLaunch, absorbLaunchFault, markSent } from '../absorb/absorb-launch.ts';
import type { Holding } from '../hold/holding.ts';
import { aboutCall, connect, orderOf, type Absorb, type Tools } from './tools.ts';

const prepareMs = 60_000;
const launchMs = 180_000;

/** Sends an order: for the first time, or again with the same token because no outcome of it is known. */
export async function send(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  if (connected instanceof ProviderFault) return (draft) => absorbLaunchFault(draft, attempt, heldBack(connected));
  const api = tools.api(attempt);
  if (!api) return () => undefined;
  const about = aboutCall(holding, tools, attempt, 'launch');
  let called: number | undefined;
  const answered = () => (called === undefined ? {} : { answered_ms: Math.round(tools.monotonic() - called) });
  try {
    const prepared = await prepare(attempt, api, connected, holding, tools);
    const present = holding.case.attempts.find((each) => each.attempt === attempt.attempt) ?? attempt;
    if (present.unsent || prepared.fresh) {
      await tools.record(holding, (draft) => {
        if (prepared.fresh) draft.setAttempt(attempt.attempt, { prepared: { value: prepared.value } });
        markSent(draft, present);
      });
    }
    const order = orderOf(attempt, prepared.value);
    called = tools.monotonic();
    const launch = await guard({ ...about, what: `launch at ${about.where}`, mutating: true, timeout_ms: launchMs }, (call) =>
      api.launch(connected.session, order, call),
    );
    tools.up(attempt.provider_instance);
    // The answer was a look; the next one waits for those of other requests.
    holding.looked_at.set(attempt.attempt, tools.monotonic());
    const took = answered();
    return (draft) => {
      draft.setAttempt(attempt.attempt, took);
      absorbLaunch(draft, draft.attempt(attempt.attempt) ?? attempt, launch);
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === 'credentials') tools.down(attempt.provider_instance, error.message);
    const took = answered();
    return (draft) => {
      draft.setAttempt(attempt.attempt, took);
      absorbLaunchFault(draft, draft.attempt(attempt.attempt) ?? attempt, error);
    };
  }
}

/** What the launch refers to and its exact parameters: made once for an attempt, then only read. */
async function prepare(attempt: AttemptRecord, api: ProviderApi, connected: Connected, holding: Holding, tools: Tools) {
  if (!api.prepare || attempt.prepared) return { value: attempt.prepared?.value, fresh: false };
  const about = aboutCall(holding, tools, attempt, 'prepare');
  try {
    const value = await guard({ ...about, what: `preparation at ${about.where}`, mutating: true, timeout_ms: prepareMs }, async (call) =>
      api.prepare?.(connected.session, orderOf(attempt, undefined), call),
    );
    return { value: value as unknown, fresh: true };
  } catch (error) {
    // Preparing starts no machine and is idempotent: a lost answer is only a reason to ask again.
    if (isFault(error) && error.kind === 'unknown-outcome')
      throw new ProviderFault('unavailable', error.message, { code: error.code, cause: error });
    throw error;
  }
}

/** An open attempt may have been sent: that the session cannot be had now does not close it. */
const heldBack = (fault: ProviderFault): ProviderFault =>
  new ProviderFault('unavailable', fault.message, { code: fault.code, cause: fault });
