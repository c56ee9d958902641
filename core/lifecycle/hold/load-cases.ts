import type { AttemptRecord } from '../../model/attempt.ts';
import type { Claim, Store } from '../../storage.ts';
import type { Case } from '../case.ts';

/** A storage bounds how many values one comparison may list. */
const atOnce = 200;

/** Everything that is stored of the claimed requests, as their new holder takes it over. A request that is gone is left out. */
export async function loadCases(store: Store, claims: readonly Claim[]): Promise<Map<string, Case>> {
  const cases = new Map<string, Case>();
  for (let i = 0; i < claims.length; i += atOnce) {
    const part = claims.slice(i, i + atOnce);
    const request_id = part.map((claim) => claim.request_id);
    const [requests, attempts, machines, wishes] = await Promise.all([
      store.find('request', { where: { request_id } }),
      store.find('attempt', { where: { request_id } }),
      store.find('machine', { where: { request_id }, order: [['created_at', 'asc']] }),
      store.find('wish', { where: { request_id, absorbed: false }, order: [['created_at', 'asc']] }),
    ]);
    const takenOver = new Set(part.filter((claim) => claim.taken_over).map((claim) => claim.request_id));
    const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.request_id);
    const machinesOf = Map.groupBy(machines, (machine) => machine.request_id);
    const wishesOf = Map.groupBy(wishes, (wish) => wish.request_id);
    for (const request of requests) {
      const mine = attemptsOf.get(request.request_id) ?? [];
      cases.set(request.request_id, {
        request,
        attempts: takenOver.has(request.request_id) ? mine.map(doubted) : mine,
        machines: machinesOf.get(request.request_id) ?? [],
        wishes: wishesOf.get(request.request_id) ?? [],
      });
    }
  }
  return cases;
}

/** The last holder ended without a word: what it may have sent, it may have sent. */
const doubted = (attempt: AttemptRecord): AttemptRecord =>
  attempt.state === 'open' && !attempt.unsent ? { ...attempt, doubtful: true } : attempt;
