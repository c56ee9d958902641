import { isTerminal, type MachineRecord, type RequestRecord } from '../../../core/index.ts';
import type { MachineResult } from './acquire-result.ts';

/** A machine of a return: it succeeds by being gone, whatever took it, and fails only when the return ends before that. */
export function returnResult(request: RequestRecord, machine: MachineRecord): MachineResult {
  const gone = machine.gone_at !== undefined || machine.status === 'terminated' || machine.status === 'stopped';
  if (gone) return { result: 'succeed', message: '' };
  if (!isTerminal(request.status)) return { result: 'executing', message: '' };
  return { result: 'fail', message: machine.message ?? `The machine is still ${machine.status}; its end is tried on.` };
}
