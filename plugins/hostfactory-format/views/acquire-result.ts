import { isTerminal, machineMessage, type MachineRecord, type RequestRecord } from '../../../core/index.ts';

export const results = ['executing', 'fail', 'succeed'] as const;

/** The result of one machine for one request. `message` is the reason of a failure. */
export interface MachineResult {
  readonly result: (typeof results)[number];
  readonly message: string;
}

const succeed: MachineResult = { result: 'succeed', message: '' };
const executing: MachineResult = { result: 'executing', message: '' };
const fail = (machine: MachineRecord, reason: string): MachineResult => ({
  result: 'fail',
  message: machineMessage(machine) ?? reason,
});

/**
 * The result of a machine of a request for machines. It succeeds when it becomes ready, and stays a success when its
 * caller returns it. It fails when it is lost, reclaimed, replaced or cancelled, or when the request ends before it is
 * ready. It is executing only while the request is.
 */
export function acquireResult(request: RequestRecord, machine: MachineRecord): MachineResult {
  const { status, going } = machine;
  if (machine.lost) return fail(machine, `The machine is ${status}, and no caller returned it.`);
  if (going === 'cancelled') return fail(machine, 'The request was cancelled.');
  if (machine.ready_at !== undefined && going === 'returned') return succeed;
  if (going !== undefined) return fail(machine, reasons[going]);
  if (machine.replaced_by !== undefined) return fail(machine, reasons.replaced);
  if (machine.reclaim_at !== undefined)
    return fail(machine, `The cloud reclaims the machine at ${machine.reclaim_at}.`);
  if (status !== 'running' && status !== 'pending') return fail(machine, `The machine is ${status}.`);
  if (machine.ready_at !== undefined) return succeed;
  return isTerminal(request.status) ? fail(machine, 'The machine was not usable when the request ended.') : executing;
}

const reasons = {
  returned: 'The machine was returned before it was usable.',
  failed: 'The machine never became usable.',
  surplus: 'More machines started than requested; this one is released.',
  late: 'The machine started after the end of the request; it is released.',
  replaced: 'Another machine replaces it.',
} as const;
