import { isFault, ProviderFault } from '../../fault.ts';
import type { Log } from '../../log.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Launch } from '../../provider.ts';
import type { GuardedApi } from '../../providers/guarded-api.ts';
import { absorbLaunch, absorbLaunchFault, markSent } from '../absorb/absorb-launch.ts';
import { isEnding } from '../counting.ts';
import type { Holding } from '../hold/holding.ts';
import { connect, orderOf, permitOf, type Absorb, type Tools } from './tools.ts';

/** Sends an order: for the first time, or again with the same token because no outcome of it is known. */
export async function send(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  if (connected instanceof ProviderFault) return (draft) => absorbLaunchFault(draft, attempt, heldBack(connected));
  const api = connected.api(attempt.api);
  if (!api) return () => undefined;
  let called: number | undefined;
  const answered = () => (called === undefined ? {} : { answered_ms: Math.round(tools.monotonic() - called) });
  try {
    const prepared = await prepare(attempt, api, holding, tools);
    const present = holding.case.attempts.find((each) => each.attempt === attempt.attempt) ?? attempt;
    if (present.unsent || prepared.fresh) {
      await tools.record(holding, (draft) => {
        if (prepared.fresh) draft.setAttempt(attempt.attempt, { prepared: { value: prepared.value } });
        markSent(draft, present);
      });
    }
    const order = orderOf(attempt, prepared.value);
    called = tools.monotonic();
    const answer = await api.launch(order, permitOf(holding, tools));
    tellSurplus(answer, attempt, api, tools.log);
    const { machines, trouble } = await tools.owners.sift(attempt, holding.case.machines, answer.machines ?? []);
    const launch = trouble === undefined ? answer : { ...answer, machines };
    tools.tellReports(attempt.provider_instance, trouble);
    // The answer was a look; the next one waits for those of other requests.
    holding.looked_at.set(attempt.attempt, tools.monotonic());
    const took = answered();
    return (draft) => {
      draft.setAttempt(attempt.attempt, took);
      absorbLaunch(draft, draft.attempt(attempt.attempt) ?? attempt, launch);
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    const took = answered();
    return (draft) => {
      draft.setAttempt(attempt.attempt, took);
      absorbLaunchFault(draft, draft.attempt(attempt.attempt) ?? attempt, error);
    };
  }
}

/**
 * More machines than were ordered break the contract, and yet the answer is taken: machines that live are never lost sight of. Those that nobody wants are
 * released as soon as they are known, like any that come too many.
 */
function tellSurplus(launch: Launch, attempt: AttemptRecord, { where, plugin }: GuardedApi, log: Log): void {
  const asked = attempt.order.machine_count;
  const came = (launch.machines ?? []).filter(({ status }) => !isEnding(status)).length;
  if (came <= asked) return;
  const whose = plugin === undefined ? 'the plugin' : `plugin '${plugin}'`;
  const about = { request_id: attempt.request_id, attempt: attempt.attempt };
  log.error(
    about,
    `The launch at ${where} gave ${came} machines where ${asked} were ordered; this is a bug of ${whose}. Those not wanted are released.`,
  );
}

/** What the launch refers to and its exact parameters: made once for an attempt, then only read. */
async function prepare(attempt: AttemptRecord, api: GuardedApi, holding: Holding, tools: Tools) {
  if (!api.prepare || attempt.prepared) return { value: attempt.prepared?.value, fresh: false };
  try {
    return { value: await api.prepare(orderOf(attempt, undefined), permitOf(holding, tools)), fresh: true };
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
