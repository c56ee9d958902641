import type { Call, Observation, ProviderFault, Watched } from '../../../core/index.ts';
import { observeMachines } from './observe.ts';
import type { CloudSession } from '../connection/session.ts';

type Answers<H extends object> = readonly (Observation<H> | ProviderFault)[];

/**
 * Observes the attempts of which only known machines are requested separately: by the ids of the machines, without
 * describing their fleet or group. `whole` observes all others. The results are in the order of `watched`.
 */
export async function observeKnown<H extends object>(
  session: CloudSession,
  watched: readonly Watched<H>[],
  call: Call,
  whole: (others: readonly Watched<H>[]) => Promise<Answers<H>>,
): Promise<Answers<H>> {
  const known = watched.filter((each) => each.only_known);
  if (known.length === 0) return whole(watched);
  const others = watched.filter((each) => !each.only_known);
  const [these, those] = await Promise.all([
    observeMachines(session, known, call),
    others.length > 0 ? whole(others) : [],
  ]);
  const answers = new Map([
    ...known.map((each, i) => [each, these[i]] as const),
    ...others.map((each, i) => [each, those[i]] as const),
  ]);
  return watched.map((each) => answers.get(each) as Answers<H>[number]);
}
