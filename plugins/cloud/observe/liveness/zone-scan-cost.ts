import { machinesPerPage } from '../describe.ts';

/** What is known of a zone before it is asked which machines run there. */
export interface ZoneCount {
  readonly zone: string;
  /** Machines of ours whose life is to be seen. */
  readonly ours: number;
  /** Machines that run there, of whomever, or at least so many. Absent: not known. */
  readonly rows?: number;
}

/** Up to so many machines are described in a page or two, and by the same page everything else is known of them. */
const few = machinesPerPage;
/**
 * Machines of others cost nothing but time here, a fifth of what describing ours costs; but a page of them is a call
 * like any other.
 */
const timesOurs = 3;

/** So many machines may run in a zone for a listing of their statuses to be cheaper than a description of ours. */
export const mostRows = (ours: number): number => Math.max(machinesPerPage, ours * timesOurs);

/**
 * Zones in which a listing of statuses costs less than a description of ours. The listing shows the whole account,
 * because nothing narrows it to our tags. Pure.
 */
export function zonesToScan(zones: readonly ZoneCount[]): ReadonlySet<string> {
  if (zones.reduce((sum, { ours }) => sum + ours, 0) <= few) return new Set();
  return new Set(zones.flatMap(({ zone, ours, rows }) => ((rows ?? 0) <= mostRows(ours) ? [zone] : [])));
}
