import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { absorbAbsence } from '../absorb/absorb-absence.ts';
import { absorbReports, absorbSlowness } from '../absorb/absorb-reports.ts';
import { isSettled, observed, short } from '../attempt.ts';
import { refOf } from '../decide/aims.ts';
import type { Holding } from '../hold/holding.ts';
import { isAlive } from '../machine-life.ts';
import { inSlices } from './slices.ts';
import { connect, orderOf, type Absorb, type Tools } from './tools.ts';

/** Asks how the machines of an attempt are. A failed answer says nothing about them. */
export async function look(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<readonly Absorb[]> {
  const connected = await connect(attempt.provider_instance, tools);
  holding.looked_at.set(attempt.attempt, tools.monotonic());
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) return [];
  const { machines: known } = holding.case;
  const { going, unready } = known.counts(attempt.attempt);
  try {
    const { observation, listed } = await tools.observer.look(connected, api, {
      handle: attempt.handle,
      order: orderOf(attempt, attempt.prepared?.value),
      known: [...known.of(attempt.attempt)].filter(isAlive).map(refOf),
      steady: isSettled(attempt) && going + unready === 0,
    });
    const { machines, trouble } = await tools.owners.sift(attempt, known, observation.machines);
    tools.tellReports(attempt.provider_instance, trouble);
    const present = (each: Parameters<Absorb>[0]): AttemptRecord => each.attempt(attempt.attempt) ?? attempt;
    return inSlices(
      machines,
      (draft, slice) => absorbReports(draft, present(draft), slice),
      (draft) => {
        draft.moveAttempt(attempt.attempt, (each) => short(observed(each, observation), observation.shortfall));
        absorbAbsence(draft, present(draft), machines, listed, api.capabilities.visible_within_ms, tools.settings);
        absorbSlowness(draft, present(draft), tools.settings);
      },
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, kind: error.kind, code: error.code }, error.message);
    return [];
  }
}
