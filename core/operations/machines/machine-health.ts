import { type GoingReason, machineMessage, type MachineRecord } from '../../model/machine.ts';

/** The machine runs, is usable, and is neither released, reclaimed nor replaced. */
export const isHealthy = ({ status, ready_at, going, reclaim_at, replaced_by }: MachineRecord): boolean =>
  status === 'running' &&
  ready_at !== undefined &&
  going === undefined &&
  reclaim_at === undefined &&
  replaced_by === undefined;

/** A sentence about what happens to a machine. It always fits `isHealthy`. */
export function healthSentence(machine: MachineRecord): string {
  const { status, ready_at, going, gone_at, lost, reclaim_at, expired_at } = machine;
  const message = machineMessage(machine);
  if (going !== undefined && lost !== true) {
    if (expired_at !== undefined)
      return `Its lease ended, and it ${gone_at === undefined ? 'is being released' : 'is gone'}.`;
    if (going === 'failed' && message !== undefined) return message;
    return `${whys[going]}${gone_at === undefined ? 'is being released' : 'is gone'}.`;
  }
  if (status !== 'running' && status !== 'pending') return message ?? `It is ${status}, and no caller returned it.`;
  if (reclaim_at !== undefined)
    return `${message === undefined ? '' : `${message} `}The cloud takes it back at ${reclaim_at}.`;
  if (message !== undefined) return message;
  if (status === 'pending') return 'It is starting.';
  return ready_at === undefined ? 'It runs, but its name and address are not known yet.' : 'It runs.';
}

/** The beginning of a sentence. */
const whys: Readonly<Record<GoingReason, string>> = {
  returned: 'It was returned, and ',
  cancelled: 'Its request was cancelled, and it ',
  failed: 'It never became usable, and ',
  surplus: 'More machines came than were requested, and it ',
  late: 'It came after the end of its request, and ',
  replaced: 'Another machine took its place, and it ',
};
