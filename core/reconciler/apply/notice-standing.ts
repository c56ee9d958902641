import type { Notice } from '../../contract/notice.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { isAnnouncedEnd } from '../state/machine-life.ts';

/** How long after an announced reclaim the machine may still live without doubt about the notice. */
const graceMs = 300_000;
/** Planned work counts as a reclaim from so long before it on; observations report it then, too. */
const plannedMs = 3_600_000;
/** Times of one reclaim that differ by less are equal: notices have whole seconds. */
const sameMs = 60_000;

/** Whether the notice of a reclaim still counts when an observation does not show the reclaim. */
export const isNoticeStanding = (
  { reclaim_noticed, reclaim_at }: Pick<MachineRecord, 'reclaim_noticed' | 'reclaim_at'>,
  now: number,
): boolean => reclaim_noticed === true && isAhead(reclaim_at, now);

/** Whether an observed reclaim is the one of the notice. */
export const isNoticed = (
  { reclaim_noticed, reclaim_at }: Pick<MachineRecord, 'reclaim_noticed' | 'reclaim_at'>,
  observed: string,
): boolean =>
  reclaim_noticed === true &&
  reclaim_at !== undefined &&
  Math.abs(Date.parse(reclaim_at) - Date.parse(observed)) < sameMs;

const isAhead = (reclaim_at: string | undefined, now: number): boolean =>
  reclaim_at !== undefined && Date.parse(reclaim_at) + graceMs > now;

/**
 * Whether a notice tells something new about a machine. Not new: a repeat, a state other than an unexpected end, a
 * reclaim whose time is long past or that is known for an earlier time. Planned work that is more than an hour ahead
 * is not new yet: an observation reports it in time.
 */
export function isNews(notice: Notice, machine: MachineRecord, now: number): boolean {
  if (machine.gone_at !== undefined) return false;
  const { reclaim_at, reclaim_noticed } = machine;
  switch (notice.kind) {
    case 'state':
      return isAnnouncedEnd(notice.status, machine);
    case 'rebalance':
      return machine.rebalance_at === undefined;
    case 'scheduled':
      if (notice.reclaim_at === null) return reclaim_noticed === true && reclaim_at !== undefined;
      return Date.parse(notice.reclaim_at) - now <= plannedMs && isReclaimNews(notice.reclaim_at);
    case 'reclaim':
      return isReclaimNews(notice.reclaim_at);
  }

  function isReclaimNews(announced: string): boolean {
    return isAhead(announced, now) && !isKnown(announced);
  }

  function isKnown(announced: string): boolean {
    return (
      reclaim_noticed === true &&
      reclaim_at !== undefined &&
      isAhead(reclaim_at, now) &&
      Date.parse(reclaim_at) <= Date.parse(announced)
    );
  }
}
