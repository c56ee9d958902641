import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import { isSettled } from './attempt.ts';
import type { Machines } from './machine-set.ts';

interface Counted {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: Machines;
}

/** After it completed it replaces what is lost. */
export const keepsNumber = ({ status, template }: RequestRecord): boolean => status === 'completed' && template?.replace_lost === true;

/**
 * How many machines shall live now. What a caller gave back is wanted no more and is never refilled; what was lost is. After the end it is what
 * lives, unless the request keeps its number. Worked out of rows each time, so that repeating part of a change changes nothing.
 */
export function targetOf({ request, machines }: Pick<Counted, 'request' | 'machines'>): number {
  if (request.cancel_requested_at !== undefined || request.undone_at !== undefined) return 0;
  const { returned, staying } = machines.counts();
  if (!isTerminal(request.status)) return Math.max(0, request.machine_count - returned);
  return keepsNumber(request) ? Math.max(0, (request.kept_count ?? 0) - returned) : staying;
}

/** How many machines may still arrive of an attempt, given how many of it stay. */
export function toCome(attempt: AttemptRecord, staying: number): number {
  if (isSettled(attempt)) return 0;
  const room = Math.max(0, attempt.order.machine_count - staying);
  return attempt.to_come === undefined || attempt.reopened ? room : Math.min(room, attempt.to_come);
}

/** The figures that decisions rest on. */
export interface Tally {
  readonly target: number;
  readonly staying: number;
  readonly ready: number;
  /** May still arrive, over all attempts. */
  readonly to_come: number;
  /** Shall live, and is neither there nor to come. */
  readonly missing: number;
}

export function tally(counted: Counted): Tally {
  const { attempts, machines } = counted;
  const { staying, ready } = machines.counts();
  const target = targetOf(counted);
  const to_come = attempts.reduce((sum, attempt) => sum + toCome(attempt, machines.counts(attempt.attempt).staying), 0);
  return { target, staying, ready, to_come, missing: Math.max(0, target - staying - to_come) };
}

/** What counts against `max_instances`: machines whose release no provider accepted yet, and those still to be had. */
export function holdsOf(counted: Counted): number {
  const { request, machines } = counted;
  if (request.kind === 'return') return 0;
  const { unreleased, staying } = machines.counts();
  const { target, to_come } = tally(counted);
  const missing = Math.max(0, target - staying);
  // After the end nothing is ordered: what may still be had is what a fleet replaces by itself.
  return unreleased + (isTerminal(request.status) ? Math.min(missing, to_come) : missing);
}
