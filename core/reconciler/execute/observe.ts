import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { applyAbsence } from '../apply/apply-absence.ts';
import { applyReports, applySlowness, applyUnfinishedReleases } from '../apply/apply-reports.ts';
import { isSettled, observed, withShortfall } from '../state/attempt.ts';
import { lasts, withObservedOutcomes, withRefusedObservation } from '../state/outcomes.ts';
import { refOf } from '../plan/pending-releases.ts';
import type { Step } from '../plan/step.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { isAlive } from '../state/machine-life.ts';
import { inSlices } from './slices.ts';
import { connect, orderOf, type Apply, type StepContext } from './step-context.ts';
import { turn } from '../../collections/turn.ts';

/** From this number of machines at rest on, machines that are to be released are observed without the others. */
const manyAtRest = 100;
/** Observing single machines costs about as much as observing so many times more of one attempt. */
const partCost = 5;

/** Observes the machines of an attempt. A failed call changes no machine. */
export async function observe(
  attempt: AttemptRecord,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  return isPartEnough(attempt, claimed, context)
    ? ask(attempt, claimed, context, { only: isGoing, counts: true })
    : ask(attempt, claimed, context, { counts: true });
}

const isGoing = ({ going }: MachineRecord): boolean => going !== undefined;

/**
 * Observes the machines of an attempt whose end a notice announced. Where they are few, the next observation of the
 * attempt is not put off by it. `observes`: that one is due, too, and is made with it.
 */
export async function verify(
  { attempt, observes }: Extract<Step, { readonly do: 'verify' }>,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const { announcedEnds, state } = claimed;
  const began = context.monotonic();
  announcedEnds.asked(attempt.attempt, began);
  const announced = announcedEnds.of(attempt.attempt);
  const isFew = announced.size * partCost <= state.machines.counts(attempt.attempt).alive;
  const isPart = isFew && (!observes || isPartEnough(attempt, claimed, context));
  const only = (machine: MachineRecord): boolean =>
    announced.has(machine.machine_id) || (observes && isGoing(machine));
  const extent = isPart ? { only, counts: observes } : { counts: true };
  const applies = await ask(attempt, claimed, context, { verifies: true, ...extent });
  announcedEnds.looked(attempt.attempt, began, context.monotonic());
  if (!claimed.observation_failed.has(attempt.attempt)) announcedEnds.answered(attempt.attempt, began);
  return applies;
}

interface Extent {
  /** Selects some of the machines. Absent: all are observed. */
  readonly only?: (machine: MachineRecord) => boolean;
  /** The machines may be ending, although they seem to be at rest. */
  readonly verifies?: boolean;
  /** The next observation of the attempt counts from here. */
  readonly counts: boolean;
}

async function ask(
  attempt: AttemptRecord,
  claimed: ClaimedRequest,
  context: StepContext,
  { only, verifies = false, counts }: Extent,
): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, context);
  const began = context.monotonic();
  const unseen = began - (claimed.observed_at.get(attempt.attempt) ?? began);
  const part = only !== undefined;
  if (counts) claimed.observed_at.set(attempt.attempt, began);
  const ended = (isAnswered: boolean): void => {
    if (isAnswered) claimed.observation_failed.delete(attempt.attempt);
    else claimed.observation_failed.add(attempt.attempt);
    if (!part) claimed.asked_at.set(attempt.attempt, began);
  };
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) {
    ended(false);
    return [];
  }
  const { machines: known } = claimed.state;
  const { going, unready } = known.counts(attempt.attempt);
  if (!part) claimed.fully_observed_at.set(attempt.attempt, context.monotonic());
  const requested = [...known.of(attempt.attempt)].filter(
    (machine) => isAlive(machine) && (only === undefined || only(machine)),
  );
  try {
    const link = context.spans.linkOf(claimed.state.request, attempt, going);
    const watched = {
      handle: attempt.handle,
      order: orderOf(attempt, attempt.prepared?.value),
      known: requested.map(refOf),
      steady: isSettled(attempt) && going + unready === 0 && !verifies,
      ...(part ? { only_known: true } : {}),
    };
    const { observation, listed } = await claimed.whileHeld(context.observer.observe(connected, api, watched, link));
    ended(true);
    await turn();
    const { machines, trouble } = await context.owners.ownReports(attempt, known, observation.machines);
    // At once: a verdict that waits could cure what a later one of another request has found.
    context.noteReportTrouble(attempt.provider_instance, trouble);
    await turn();
    context.cadence.learn(claimed, attempt, machines, unseen);
    await turn();
    const present = (each: Parameters<Apply>[0]): AttemptRecord => each.attempt(attempt.attempt) ?? attempt;
    return inSlices(
      machines,
      (change, slice) => applyReports(change, present(change), slice),
      (change) => {
        if (!part)
          change.moveAttempt(attempt.attempt, (each) =>
            withShortfall(
              withObservedOutcomes(observed(each, observation), observation.shortfall, change.now),
              observation.shortfall,
            ),
          );
        const { settings } = context;
        const asked_at = change.now - (context.monotonic() - began);
        const proof = { reports: machines, listed, asked_at };
        applyAbsence(change, requested, proof, api.capabilities.visible_within_ms, settings);
        if (!part) applySlowness(change, present(change), settings, asked_at);
        applyUnfinishedReleases(change, present(change), machines, settings);
        if (!part) change.observed();
      },
    );
  } catch (error) {
    ended(false);
    if (!isFault(error)) throw error;
    // Counted from its end: a call that lasts longer than the interval would be due again at once, for ever.
    if (counts) claimed.observed_at.set(attempt.attempt, context.monotonic());
    context.log.warn(
      { request_id: attempt.request_id, attempt: attempt.attempt, kind: error.kind, code: error.code },
      error.message,
    );
    if (!lasts(error.kind)) return [];
    return [
      (change) =>
        change.moveAttempt(attempt.attempt, (each) =>
          withRefusedObservation(each, error, change.now, change.request.observed_at),
        ),
    ];
  }
}

/**
 * Whether only the machines to release need to be observed. Between two full observations of a large attempt at rest
 * this is enough: forty returns of one machine each from a request of ten thousand must not describe all machines
 * every two seconds.
 */
function isPartEnough(
  attempt: AttemptRecord,
  { state: held, fully_observed_at }: ClaimedRequest,
  context: StepContext,
): boolean {
  const { alive, going, unready } = held.machines.counts(attempt.attempt);
  if (!isSettled(attempt) || unready > 0 || going === 0 || alive - going < manyAtRest) return false;
  return (
    context.monotonic() - (fully_observed_at.get(attempt.attempt) ?? -Infinity) < context.settings.observe_resting_ms
  );
}
