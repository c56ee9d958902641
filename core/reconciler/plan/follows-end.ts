import type { RequestRecord } from '../../model/request.ts';
import { isUndone } from './pending-releases.ts';
import type { Step } from './step.ts';

/**
 * Whether a step may as well come after the end of its request, so that nothing waits for it: it ends machines or
 * their leases, or orders replacements of machines. All machines of an undone request go, so its orders for
 * replacements end before.
 */
export function followsEnd(step: Step, request: RequestRecord): boolean {
  switch (step.do) {
    case 'release':
    case 'leases':
    case 'dispose':
      return true;
    case 'launch':
    case 'recover':
      return step.attempt.replaces !== undefined && !isUndone(request);
    case 'open':
      return step.orders.every(({ replaces }) => replaces !== undefined) && !isUndone(request);
    default:
      return false;
  }
}
