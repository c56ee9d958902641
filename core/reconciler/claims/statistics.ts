import { isTerminal } from '../../model/request.ts';
import type { Measured } from '../../model/measured.ts';
import type { Change } from '../../contract/storage.ts';
import type { RequestState } from '../state/request-state.ts';

/**
 * The changes to the statistics of the instances of a request that ends: one for each instance, none before the end.
 * Committed together with the end, so that each request counts once, also after a crash. The store adds the numbers,
 * so that concurrent loops lose nothing.
 */
export function measured(
  before: RequestState,
  { request, attempts, machines }: Omit<RequestState, 'signals'>,
  at: number,
): Change[] {
  if (request.kind === 'return' || isTerminal(before.request.status) || !isTerminal(request.status)) return [];
  const ordered = attempts.filter(({ replaces }) => replaces === undefined);
  return [...Map.groupBy(ordered, (attempt) => attempt.provider_instance)].map(([name, mine]) => {
    const gave = mine.some(({ attempt }) => machines.counts(attempt).delivered > 0);
    const answered = mine.flatMap(({ answered_ms }) => answered_ms ?? []);
    const amounts: { readonly [Count in keyof Measured]: number } = {
      total_requests: 1,
      successful_requests: Number(gave),
      // A cancelled request without machines says nothing about the instance.
      failed_requests: Number(!gave && request.status !== 'cancelled'),
      answers: answered.length,
      answer_ms: answered.reduce((sum, ms) => sum + ms, 0),
    };
    return { op: 'add', kind: 'fact', key: { topic: 'statistics', name, item: '' }, amounts, at };
  });
}
