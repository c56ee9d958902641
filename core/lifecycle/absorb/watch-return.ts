import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { Draft } from '../case.ts';

/**
 * Where a return stands: it only watches its machines go; the requests that they came from release them. `machines` are those that the return
 * named, as stored now; `missing`: instances of theirs that are not configured any more.
 */
export function watchReturn(draft: Draft, machines: readonly MachineRecord[], missing: readonly string[] = []): void {
  const { request, now } = draft;
  if (isTerminal(request.status)) return;
  const gone = machines.filter((machine) => machine.gone_at !== undefined).length;
  const accepted = machines.some((machine) => machine.going !== undefined);
  if (gone === machines.length)
    return end(draft, 'completed', machines.length === 1 ? 'The machine is gone.' : `All ${machines.length} machines are gone.`);
  if (now >= request.deadline_at) {
    const left = machines.filter((machine) => machine.gone_at === undefined);
    const message = `${left.length} machines were not gone in time; they stay wanted gone.`;
    const shortfall = [{ kind: 'unavailable' as const, code: 'TIMEOUT', message, count: left.length }];
    draft.setRequest({ fulfilment: { requested: machines.length, delivered: gone, final: true, shortfall } });
    return end(draft, gone > 0 ? 'completed' : 'failed', message);
  }
  const waiting = missing.map((name) => ` '${name}' is not configured: its machines cannot be given back until it is.`).join('');
  const message = `${gone} of ${machines.length} machines are gone.${waiting}`;
  if (request.status === 'pending' && accepted) draft.setRequest({ status: 'in_progress', message });
  else if (waiting !== '') draft.setRequest({ message });
}

function end(draft: Draft, status: RequestRecord['status'], message: string): void {
  draft.setRequest({ status, message, completed_at: draft.now });
  draft.journal(`return.${status}`, {});
}
