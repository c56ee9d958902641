import { isTerminal, type EndStatus } from '../../model/request.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ReleaseRefusal } from './release-refusal.ts';

/** The progress of a return. */
export interface ReturnProgress {
  /** The number of machines that are not gone yet. */
  readonly left: number;
  /** All requests of the machines have applied the return. */
  readonly accepted: boolean;
  /** The instances of its machines that are no longer configured. */
  readonly missing: readonly string[];
  /** Why machines are not released, where a provider refused it and nothing has moved since the last look. */
  readonly refusal?: ReleaseRefusal;
}

/** Updates a return. The return only observes its machines; the requests that they belong to release them. */
export function applyReturnProgress(change: StateChange, { left, accepted, missing, refusal }: ReturnProgress): void {
  const { request, now } = change;
  if (isTerminal(request.status)) return;
  const total = request.machine_count;
  const gone = total - left;
  if (left === 0)
    return end(change, 'completed', total === 1 ? 'The machine is gone.' : `All ${total} machines are gone.`);
  const refused = refusal
    ? ` '${refusal.provider_instance}' has not accepted their release yet: ${refusal.message}`
    : '';
  if (now >= request.deadline_at) {
    const message = `${left === 1 ? '1 machine was' : `${left} machines were`} not gone in time; the release continues.${refused}`;
    const shortfall = [{ kind: 'unavailable' as const, code: 'TIMEOUT', message, count: left }];
    change.setRequest({ fulfilment: { requested: total, delivered: gone, final: true, shortfall } });
    return end(change, gone > 0 ? 'completed' : 'failed', message);
  }
  const waiting = missing
    .map((name) => ` '${name}' is not configured: its machines cannot be released until it is.`)
    .join('');
  const message = `${gone} of ${total} machines are gone.${waiting}${refused}`;
  if (request.status === 'pending' && accepted) change.setRequest({ status: 'in_progress', message });
  else if (accepted && message !== request.message) change.setRequest({ message });
}

function end(change: StateChange, status: EndStatus, message: string): void {
  change.setRequest({ status, message, completed_at: change.now });
  change.journal(`return.${status}`, {});
}
