import type { FactRecord } from '../../model/records.ts';
import { isTerminal } from '../../model/request.ts';
import type { Measured } from '../../model/measured.ts';
import type { Case } from '../case.ts';

/**
 * What the end of a request adds to the statistics of the instances that it was tried at: one fact for each, empty while it goes on. Written with the
 * end itself, so that each request counts once, also over a crash.
 */
export function measured(
  before: Case,
  { request, attempts, machines }: Omit<Case, 'wishes'>,
  known: (instance: string) => Measured,
  at: number,
): FactRecord[] {
  if (request.kind === 'return' || isTerminal(before.request.status) || !isTerminal(request.status)) return [];
  return [...Map.groupBy(attempts, (attempt) => attempt.provider_instance)].map(([name, mine]) => {
    const so = known(name);
    const gave = mine.some(({ attempt }) => machines.counts(attempt).delivered > 0);
    const answered = mine.flatMap(({ answered_ms }) => answered_ms ?? []);
    const value: Measured = {
      total_requests: so.total_requests + 1,
      successful_requests: so.successful_requests + Number(gave),
      // A cancelled request that had nothing yet says nothing of the instance.
      failed_requests: so.failed_requests + Number(!gave && request.status !== 'cancelled'),
      answers: so.answers + answered.length,
      answer_ms: so.answer_ms + answered.reduce((sum, ms) => sum + ms, 0),
    };
    return { topic: 'statistics', name, item: '', value, at };
  });
}
