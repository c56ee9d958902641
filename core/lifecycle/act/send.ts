import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Launch, ProviderApi } from '../../provider.ts';
import { launchAnswer, prepared as preparedAnswer } from '../../providers/contract/answers.ts';
import { guard } from '../../providers/guard.ts';
import type { Connected } from '../../providers/session-pool.ts';
import { absorbLaunch, absorbLaunchFault, markSent } from '../absorb/absorb-launch.ts';
import { isEnding } from '../counting.ts';
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
    const answer = await guard(
      { ...about, what: `launch at ${about.where}`, mutating: true, timeout_ms: launchMs },
      async (call) => api.launch(connected.session, order, call),
      launchAnswer,
    );
    tellSurplus(answer, attempt, { where: about.where, plugin: about.plugin, log: tools.log });
    const { machines, trouble } = await tools.owners.sift(attempt, holding.case.machines, answer.machines ?? []);
    const launch = trouble === undefined ? answer : { ...answer, machines };
    if (trouble === undefined) tools.up(attempt.provider_instance);
    else tools.down(attempt.provider_instance, trouble);
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

/**
 * More machines than were ordered break the contract, and yet the answer is taken: machines that live are never lost sight of. Those that nobody wants are
 * released as soon as they are known, like any that come too many.
 */
function tellSurplus(launch: Launch, attempt: AttemptRecord, { where, plugin, log }: Told): void {
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

type Told = Pick<Tools, 'log'> & { readonly where: string; readonly plugin?: string | undefined };

/** What the launch refers to and its exact parameters: made once for an attempt, then only read. */
async function prepare(attempt: AttemptRecord, api: ProviderApi, connected: Connected, holding: Holding, tools: Tools) {
  if (!api.prepare || attempt.prepared) return { value: attempt.prepared?.value, fresh: false };
  const about = aboutCall(holding, tools, attempt, 'prepare');
  try {
    const value = await guard(
      { ...about, what: `preparation at ${about.where}`, mutating: true, timeout_ms: prepareMs },
      async (call) => api.prepare?.(connected.session, orderOf(attempt, undefined), call),
      preparedAnswer,
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
