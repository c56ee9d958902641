import { isTerminal } from '../../model/request.ts';
import type { ReturnSituation } from './situation.ts';
import { gistOf, machinesOf, namesOf, were } from './words.ts';

/** Why a return is in its present state, and why the broker made it, for people. Pure. */
export function becauseReturn(from: ReturnSituation): string {
  const { expired, machine_count } = from.request;
  const why = expired
    ? `The lease of ${machinesOf(machine_count)} ended, so muster returned ${machine_count === 1 ? 'it' : 'them'}. `
    : '';
  return `${why}${stateOf(from)}`;
}

function stateOf({ request, left, accepted, missing, refusal }: ReturnSituation): string {
  const { machine_count, status } = request;
  const gone = machine_count - left;
  if (isTerminal(status)) {
    const late = request.fulfilment?.shortfall.find(({ code }) => code === 'TIMEOUT');
    const { deadline_at, created_at, shifted_ms = 0 } = request;
    const seconds = Math.round((deadline_at - created_at - shifted_ms) / 1000);
    if (!late)
      return machine_count === 1
        ? 'The returned machine is gone.'
        : `All ${machine_count} returned machines are gone.`;
    const present =
      left > 0 ? `the release of ${left} continues` : late.count === 1 ? 'it is gone now' : 'they are gone now';
    return `${machinesOf(late.count ?? 0)} ${were(late.count ?? 0)} not gone within ${seconds} s; ${present}.`;
  }
  if (!accepted)
    return `The return of ${machinesOf(machine_count)} is stored, and waits for the broker that works on their request.`;
  const waits =
    gone === 0
      ? `None of ${machinesOf(machine_count)} is gone yet`
      : `${gone} of ${machinesOf(machine_count)} ${gone === 1 ? 'is' : 'are'} gone`;
  if (missing.length > 0)
    return `${waits}; ${namesOf(missing)} ${missing.length === 1 ? 'is' : 'are'} not configured, so that its machines cannot be released until it is.`;
  const refused = refusal
    ? `; '${refusal.provider_instance}' did not accept a release yet (${gistOf(refusal.code)})`
    : '';
  return `${waits}; ${gone === 0 ? 'they are' : 'the others are'} being released${refused}.`;
}
