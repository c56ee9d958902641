import { isFault, type ProviderFault } from '../../contract/fault.ts';
import type { Observation, Watched } from '../../contract/provider/orders-and-reports.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { CalledFor } from './called-for.ts';
import { checkObservation, checkObservations } from '../answer-checks/answers.ts';
import { soundFault } from '../answer-checks/sound-fault.ts';
import { pluginFault, type CallEnd } from './guard.ts';
import type { CallName, GuardedCalls, Permit } from './guarded-calls.ts';

type Seen = readonly (Observation | ProviderFault)[];

/**
 * The most calls of one search for the attempts that make a joint observation fail: enough to find two in a thousand.
 */
const mostSearches = 48;

/**
 * Returns one entry for each watched attempt. An entry that violates the contract becomes a fault and does not affect
 * the others. When the whole call fails by a bug of the plugin, the attempts are halved repeatedly, until the search
 * finds those that the plugin cannot observe.
 */
export async function observeAll(
  api: ProviderApi,
  session: unknown,
  watched: readonly Watched[],
  calls: GuardedCalls,
  about: CallName,
  permit: Permit,
): Promise<Seen> {
  const searches = { left: mostSearches };
  const search = async (part: readonly Watched[]): Promise<Seen> => {
    searches.left -= 1;
    try {
      return await observePart(api, session, part, calls, about, permit);
    } catch (error) {
      if (!isFault(error) || error.code !== 'PLUGIN_ERROR' || part.length === 1) throw error;
      const middle = Math.ceil(part.length / 2);
      const seen: (Observation | ProviderFault)[] = [];
      for (const half of [part.slice(0, middle), part.slice(middle)])
        seen.push(...(searches.left <= 0 ? half.map(() => error) : await search(half).catch(sharedBy(half))));
      return seen;
    }
  };
  return search(watched);
}

const sharedBy =
  (part: readonly Watched[]) =>
  (error: unknown): Seen => {
    if (!isFault(error)) throw error;
    return part.map(() => error);
  };

async function observePart(
  api: ProviderApi,
  session: unknown,
  watched: readonly Watched[],
  calls: GuardedCalls,
  about: CallName,
  permit: Permit,
): Promise<Seen> {
  const wrong = new Map<number, ProviderFault>();
  // When every entry is a fault, the provider counts as not answering.
  let nothing: ProviderFault | undefined;
  const judge = (end: CallEnd): CallEnd => {
    const [first] = wrong.values();
    if (end.kind !== undefined)
      return watched.length > 1 && end.fault?.code === 'PLUGIN_ERROR' ? { ...end, unsure: true } : end;
    if (first && wrong.size === watched.length) return { ...end, kind: first.kind, fault: first, misbehaved: true };
    return nothing ? { ...end, fault: nothing } : end;
  };
  const mine = {
    ...permit,
    of: watched.map(
      ({ order }): CalledFor => ({ request_id: order.request_id, template_id: order.template.template_id }),
    ),
  };
  const seen = await calls.call(
    { ...about, judge },
    mine,
    async (call) => api.observe(session, watched, call),
    (answer) => {
      checkObservations(answer, watched.length);
      for (const [index, entry] of answer.entries()) {
        const fault = faultIn(() => checkObservation(entry, `/${index}`), { ...about, log: calls.log });
        if (fault) wrong.set(index, fault);
      }
      const readable = answer.find((_, index) => !wrong.has(index));
      if (isFault(readable) && answer.every(isFault)) nothing = soundFault(readable);
    },
  );
  return seen.map((entry, index) => wrong.get(index) ?? (isFault(entry) ? soundFault(entry) : entry));
}

function faultIn(check: () => void, about: Parameters<typeof pluginFault>[1]): ProviderFault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return pluginFault(error, about, 'unavailable');
  }
}
