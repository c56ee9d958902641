import { machinesPerPage } from '../describe.ts';

/** The counts of a zone before its running machines are listed. */
export interface ZoneCount {
  readonly zone: string;
  /** Machines of muster that are checked. */
  readonly ours: number;
  /** The least number of running machines in the zone, of any owner. Absent: unknown. */
  readonly rows?: number;
}

/** Up to so many machines are described in a page or two, which shows their other properties too. */
const fewMachines = machinesPerPage;
/** Listing a foreign machine costs a fifth of describing a machine of muster; but each page is a call. */
const maxRatio = 3;

/** The most machines in a zone for which listing the statuses is cheaper than describing those of muster. */
export const mostRows = (ours: number): number => Math.max(machinesPerPage, ours * maxRatio);

/**
 * Zones in which listing the statuses costs less than describing the machines of muster. The listing shows all
 * machines of the account, because it cannot be filtered by tags.
 */
export function zonesToScan(zones: readonly ZoneCount[]): ReadonlySet<string> {
  if (zones.reduce((sum, { ours }) => sum + ours, 0) <= fewMachines) return new Set();
  return new Set(zones.flatMap(({ zone, ours, rows }) => ((rows ?? 0) <= mostRows(ours) ? [zone] : [])));
}
