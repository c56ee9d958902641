import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { absorbMisses, absorbReports, absorbShortfall } from '../absorb/absorb-reports.ts';
import { isAlive, isSettled, machinesOf } from '../counting.ts';
import { refOf } from '../decide/aims.ts';
import type { Holding } from '../hold/holding.ts';
import { connect, orderOf, type Absorb, type Tools } from './tools.ts';

/** Asks how the machines of an attempt are. A failed answer says nothing about them. */
export async function look(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  holding.looked_at.set(attempt.attempt, tools.monotonic());
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) return () => undefined;
  const alive = machinesOf(holding.case.machines, attempt).filter(isAlive);
  const steady = isSettled(attempt) && alive.every((machine) => machine.ready_at !== undefined && machine.going === undefined);
  try {
    const seen = await tools.observer.look(connected, api, {
      handle: attempt.handle,
      order: orderOf(attempt, attempt.prepared?.value),
      known: alive.map(refOf),
      steady,
    });
    const { machines, trouble } = await tools.owners.sift(attempt, holding.case.machines, seen.machines);
    tools.tellReports(attempt.provider_instance, trouble);
    return (draft) => {
      const present = draft.attempt(attempt.attempt) ?? attempt;
      draft.setAttempt(attempt.attempt, {
        settled: seen.settled,
        ...(seen.stuck ? { stuck: true } : {}),
        ...(seen.handle === undefined ? {} : { handle: seen.handle }),
      });
      absorbShortfall(draft, present, seen.shortfall);
      absorbReports(draft, present, machines);
      absorbMisses(draft, present, machines, api.capabilities.visible_within_ms);
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, kind: error.kind, code: error.code }, error.message);
    return () => undefined;
  }
}
