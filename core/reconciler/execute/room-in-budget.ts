import type { BrokerError } from '../../contract/errors.ts';
import { hasTags, type BudgetScope } from '../../model/budget/scope.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { longestHoldMs, type StepContext } from './step-context.ts';

/**
 * Whether the request waits for room in a budget of all places: machines of its own that shut down take some of it
 * until they are gone. A budget of some places may leave room at others, so that it does not wait there.
 */
export async function waitsForRoom(
  claimed: ClaimedRequest,
  context: StepContext,
  { message, details }: BrokerError,
): Promise<boolean> {
  const { request, machines } = claimed.state;
  const { alive, present } = machines.counts();
  const scope = context.budgets.all.find(({ name }) => name === details['budget'])?.scope;
  if (alive === present || !scope || !countsEverywhere(scope, request, context)) return false;
  // A request that cannot use its slot must not block others.
  if (request.waits_for !== undefined) await context.record(claimed, (change) => change.stopWaiting());
  context.slots.leave(claimed);
  claimed.holdBack(`Waiting for the end of machines that shut down: ${message}`, longestHoldMs);
  return true;
}

/** Whether a budget counts the machines of a request at all places that may serve it. */
function countsEverywhere(scope: BudgetScope, { template, ...request }: RequestRecord, context: StepContext): boolean {
  if (!template || scope.provider_instance !== undefined || scope.market !== undefined) return false;
  return context.budgets.reservations.tagsByPlace({ ...request, template }).every((tags) => hasTags(scope, tags));
}
