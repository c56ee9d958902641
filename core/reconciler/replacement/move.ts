import type { MachineRecord } from '../../model/machine.ts';
import { isHeld } from '../../model/leases/lease.ts';
import type { RequestRecord } from '../../model/request.ts';
import { isAlive, isStandby, isStaying } from '../state/machine-life.ts';
import type { RequestState } from '../state/request-state.ts';
import type { Settings } from '../settings.ts';
import { isSettled } from '../state/attempt.ts';
import { needOf, openNeeds } from './needs.ts';

/**
 * What is due for one machine of a replacement.
 * - `take-over`: a ready replacement takes the place of its machine. One whose machine was lost does not wait until it
 *   is ready.
 * - `dismiss`: the replacement is no longer needed, and goes.
 * - `end`: the time to empty the replaced machine is over, and it goes.
 * - `give-up`: no replacement was ready in time. The machine stays.
 */
export type Move = 'take-over' | 'dismiss' | 'end' | 'give-up';

export type Timing = Pick<Settings, 'replace_again_ms'>;

/** The move that is due for a machine now; undefined: none. Pure. */
export function moveOf(
  machine: MachineRecord,
  { request, machines }: Pick<RequestState, 'request' | 'machines'>,
  now: number,
  settings: Timing,
): Move | undefined {
  if (!isAlive(machine) || machine.going !== undefined) return undefined;
  const isUndone = request.undone_at !== undefined;
  if (machine.replaced_by !== undefined) {
    const isOver = now >= (machine.release_at ?? 0) && !isHeld(machine, now);
    return isUndone || isOver ? 'end' : undefined;
  }
  if (!isStaying(machine)) return undefined;
  if (isStandby(machine)) {
    const need = machine.replaces && !isUndone ? needOf(machines.get(machine.replaces)) : undefined;
    if (need === undefined) return 'dismiss';
    return need === 'lost' || machine.ready_at !== undefined ? 'take-over' : undefined;
  }
  return now >= replaceUntil(machine, request, settings) ? 'give-up' : undefined;
}

/** The machines that were lost after their replacement was ordered, while the order may still deliver. */
export function* awaitedLost({
  attempts,
  machines,
}: Pick<RequestState, 'attempts' | 'machines'>): Generator<MachineRecord> {
  for (const attempt of attempts) {
    if (attempt.replaces === undefined || isSettled(attempt)) continue;
    for (const { key, need } of openNeeds(attempt, machines)) {
      const machine = need === 'lost' ? machines.get(key) : undefined;
      if (machine) yield machine;
    }
  }
}

/**
 * From when on a replacement of the machine may be ordered. A replacement that gets a recommendation itself is kept
 * for a while, so that a market in which every new machine gets one causes no chain of launches. Infinity: never.
 */
export const replaceFrom = (
  { replace_from = Infinity, took_over_at = -Infinity }: MachineRecord,
  { replace_again_ms }: Timing,
): number => Math.max(replace_from, took_over_at + replace_again_ms);

/** Until when a replacement of the machine is sought: for the time-out of the request. */
export const replaceUntil = (machine: MachineRecord, request: RequestRecord, settings: Timing): number =>
  replaceFrom(machine, settings) + timeoutMs(request);

const timeoutMs = ({ timeout_s, deadline_at, created_at, shifted_ms = 0 }: RequestRecord): number =>
  timeout_s === undefined ? Math.max(0, deadline_at - created_at - shifted_ms) : timeout_s * 1000;
