import { setImmediate as turn } from 'node:timers/promises';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { applyAbsence } from '../apply/apply-absence.ts';
import { applyReports, applySlowness, applyUndone } from '../apply/apply-reports.ts';
import { isSettled, observed, short } from '../state/attempt.ts';
import { refOf } from '../plan/release-targets.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { isAlive } from '../state/machine-life.ts';
import { inSlices } from './slices.ts';
import { connect, orderOf, type Apply, type Tools } from './tools.ts';

/** Of an attempt with so many machines that merely live, those that go are asked about apart. */
const manyAtRest = 100;

/** Asks how the machines of an attempt are. A failed answer says nothing about them. */
export async function observe(attempt: AttemptRecord, claimed: ClaimedRequest, tools: Tools): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, tools);
  claimed.looked_at.set(attempt.attempt, tools.monotonic());
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) return [];
  const { machines: known } = claimed.case;
  const { going, unready } = known.counts(attempt.attempt);
  const part = isPartEnough(attempt, claimed, tools);
  if (!part) claimed.looked_fully_at.set(attempt.attempt, tools.monotonic());
  const asked = [...known.of(attempt.attempt)].filter((machine) => isAlive(machine) && (!part || machine.going !== undefined));
  try {
    const { observation, listed } = await tools.observer.look(connected, api, {
      handle: attempt.handle,
      order: orderOf(attempt, attempt.prepared?.value),
      known: asked.map(refOf),
      steady: isSettled(attempt) && going + unready === 0,
      ...(part ? { only_known: true } : {}),
    });
    await turn();
    const { machines, trouble } = await tools.owners.sift(attempt, known, observation.machines);
    tools.tellReports(attempt.provider_instance, trouble);
    const present = (each: Parameters<Apply>[0]): AttemptRecord => each.attempt(attempt.attempt) ?? attempt;
    return inSlices(
      machines,
      (change, slice) => applyReports(change, present(change), slice),
      (change) => {
        if (!part) change.moveAttempt(attempt.attempt, (each) => short(observed(each, observation), observation.shortfall));
        applyAbsence(change, asked, machines, listed, api.capabilities.visible_within_ms, tools.settings);
        applySlowness(change, present(change), tools.settings);
        applyUndone(change, present(change), machines, tools.settings);
        if (!part) change.observed();
      },
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, kind: error.kind, code: error.code }, error.message);
    return [];
  }
}

/**
 * Of a large attempt at rest those that go are enough between two looks at all of it: forty returns of one machine each from a
 * request of ten thousand must not have all of it described every two seconds.
 */
function isPartEnough(attempt: AttemptRecord, { case: held, looked_fully_at }: ClaimedRequest, tools: Tools): boolean {
  const { alive, going, unready } = held.machines.counts(attempt.attempt);
  if (!isSettled(attempt) || unready > 0 || going === 0 || alive - going < manyAtRest) return false;
  return tools.monotonic() - (looked_fully_at.get(attempt.attempt) ?? -Infinity) < tools.settings.look_late_ms;
}
