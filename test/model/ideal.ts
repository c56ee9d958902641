import type { AttemptRecord, MachineRecord, RequestRecord, SignalRecord } from '../../core/index.ts';
import { isLive, type Machine } from './cloud.ts';

/**
 * What an ideal broker owes to its callers, said of one request by what was asked of it and what truly runs. It knows
 * nothing of attempts, claims or commits. `accepted_at` and the like are the time that truly passed.
 */
export interface Owed {
  readonly request: RequestRecord;
  readonly accepted_at: number;
  readonly deadline_at: number;
  /** Ids of machines that a caller gave back. */
  readonly returned: Set<string>;
  cancelled_at?: number;
  completed_at?: number;
  /** Who wrote of it last: he had its claim then. */
  held_by?: object | undefined;
  /** By how much the wall clock was set while nobody who held it could see that. */
  unseen_jumps: number;
  /** When it was told to have ended. */
  ended_at?: number;
  readonly signals: SignalRecord[];
}

/** What is stored of a machine, beside what it truly is. */
export interface Seen {
  readonly machine: Machine;
  readonly row: MachineRecord | undefined;
  /** Its order was given up: its token is too old, so what it started is looked for and ended. */
  readonly given_up: boolean;
  /** It was ordered in place of machines that the cloud recommends to replace. */
  readonly attempt: AttemptRecord | undefined;
}

/** It is to take the place of another one, and has not yet. */
export const isStandby = ({ row, attempt }: Seen): boolean =>
  row === undefined ? attempt?.replaces !== undefined : row.replaces !== undefined && row.took_over_at === undefined;

/** Another one took its place. */
const isReplaced = ({ row }: Seen): boolean => row?.replaced_by !== undefined;

/**
 * Machines that a caller gave back and that were wanted until then. One that the cloud took before, or that counted as
 * gone, may have been replaced; where its row says that it was returned, its place was still free.
 */
export function givenBack({ returned }: Owed, all: readonly Seen[]): number {
  return all.filter(
    (each) =>
      returned.has(each.machine.id) &&
      (each.row?.going === 'returned' || (each.machine.ended_by !== 'cloud' && isReturned(each.row))) &&
      !isStandby(each) &&
      !isReplaced(each),
  ).length;
}

const isReturned = (row: MachineRecord | undefined): boolean =>
  row !== undefined &&
  row.given_up !== true &&
  (row.going === 'returned' || (row.going === undefined && row.gone_at === undefined));

/** A machine that runs and that nobody is about to end. */
export function stays({ returned }: Owed, { machine, row, given_up }: Seen): boolean {
  return isLive(machine) && !returned.has(machine.id) && row?.going === undefined && !given_up;
}

/** It is one of those that were asked for, not one beside them for as long as it takes to replace one. */
export const hasPlace = (each: Seen): boolean => !isStandby(each) && !isReplaced(each);

/** By now a sweep has seen it again. */
const seenAgainMs = 300_000;

/** The cloud left it out of its lists, and others not: it may be taken for gone until it is seen again. */
export const wasHidden = ({ hidden_until }: Machine, now: number): boolean =>
  hidden_until > 0 && now < hidden_until + seenAgainMs;

/** Whether it runs beside what was asked by no fault of a broker: it will be ended as soon as it is seen. */
export function isExcused({ machine, row }: Seen, now: number): boolean {
  const hidden = wasHidden(machine, now) && row?.gone_at !== undefined;
  const unseen = machine.delivered && row === undefined;
  return machine.replacement || machine.late || hidden || unseen;
}

/** The most machines that may stay. */
export const most = (owed: Owed, all: readonly Seen[]): number => owed.request.machine_count - givenBack(owed, all);

/** It was ordered, and no broker can know yet whether it was started: the answer was lost. */
const isUnknown = ({ row, attempt }: Seen): boolean => row === undefined && attempt?.state === 'open';

/** The cloud left it out of its lists for a while, and it is seen again: another one may have been ordered for it. */
const isBack = ({ machine, row }: Seen): boolean =>
  machine.hidden_until > 0 && row !== undefined && row.gone_at === undefined;

/** It was given back after the cloud had taken it: another one may have been ordered for it. */
const isLostAndReturned = ({ machine, row }: Seen): boolean =>
  machine.ended_by === 'cloud' && row?.going === 'returned';

/** How many stay beyond what may. What was ordered for machines that need no other one is ended when it is known. */
export function tooMany(owed: Owed, all: readonly Seen[], now: number): number {
  const staying = all.filter((each) => stays(owed, each) && hasPlace(each) && !isExcused(each, now));
  const unknown = Math.min(
    staying.filter(isUnknown).length,
    all.filter((each) => isBack(each) || isLostAndReturned(each)).length,
  );
  return staying.length - unknown - most(owed, all);
}
