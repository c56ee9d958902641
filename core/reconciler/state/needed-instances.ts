import type { NeededInstance } from '../../brokers/needs.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';

/**
 * The instances at which something of a request is left to do: those of its unfinished attempts, and the one that it
 * was handed over to and has not ordered at. Before the first order, the selected one.
 */
export function neededInstances(
  { status, provider_instance, handed_over = [] }: RequestRecord,
  attempts: readonly AttemptRecord[],
): readonly NeededInstance[] {
  const open = attempts.flatMap((attempt) =>
    attempt.disposed ? [] : [{ name: attempt.provider_instance, identity: attempt.identity }],
  );
  if (provider_instance === undefined || isTerminal(status)) return open;
  const ordered = attempts.some((attempt) => attempt.provider_instance === provider_instance);
  const isHandedOver = handed_over.at(-1) === provider_instance && !ordered;
  return isHandedOver || open.length === 0 ? [...open, { name: provider_instance }] : open;
}
