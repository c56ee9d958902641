import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import { isSettled } from './attempt.ts';
import { countNeeds } from '../replacement/needs.ts';
import type { Machines } from './machine-set.ts';

interface Counted {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: Machines;
}

/** Whether the request replaces lost machines after its completion. */
export const keepsNumber = ({ status, template }: RequestRecord): boolean =>
  status === 'completed' && template?.replace_lost === true;

/**
 * How many machines shall live now. Returned machines reduce the target and are not replaced; lost machines are. After
 * the end it is the number of living machines, unless the request replaces lost ones. Computed from the records each
 * time, so that repeating a part of a change has no effect.
 */
export function targetOf({ request, machines }: Pick<Counted, 'request' | 'machines'>): number {
  if (request.cancel_requested_at !== undefined || request.undone_at !== undefined) return 0;
  const { returned, staying } = machines.counts();
  if (!isTerminal(request.status)) return Math.max(0, request.machine_count - returned);
  return keepsNumber(request) ? Math.max(0, (request.kept_count ?? 0) - returned) : staying;
}

/** How many machines of an attempt may still arrive, given the number that is present. */
export function incomingOf(attempt: AttemptRecord, present: number): number {
  if (isSettled(attempt)) return 0;
  const vacancies = Math.max(0, attempt.order.machine_count - present);
  return attempt.incoming === undefined || attempt.reopened ? vacancies : Math.min(vacancies, attempt.incoming);
}

/** The numbers that decisions use. */
export interface Tally {
  readonly target: number;
  readonly staying: number;
  readonly ready: number;
  /** Machines that may still arrive, over all attempts, without those that will be on standby. */
  readonly incoming: number;
  /** Machines that may still arrive to replace others. */
  readonly replacing: number;
  /** Machines of the target that neither stay nor are incoming. */
  readonly missing: number;
}

export function tally(counted: Counted): Tally {
  const { attempts, machines } = counted;
  const { staying, ready } = machines.counts();
  const target = targetOf(counted);
  const ofAttempts = attempts.map((attempt) => arrivalsOf(attempt, counted));
  const incoming = ofAttempts.reduce((sum, each) => sum + each.incoming, 0);
  const replacing = ofAttempts.reduce((sum, each) => sum + each.replacing, 0);
  return { target, staying, ready, incoming, replacing, missing: Math.max(0, target - staying - incoming) };
}

/**
 * How many machines of an attempt may still arrive: those that replace others, and those that fill places of the
 * request. After the end of the request a replacement of a machine that was lost meanwhile is still awaited.
 */
export function arrivalsOf(
  attempt: AttemptRecord,
  { request, machines }: Pick<Counted, 'request' | 'machines'>,
): Pick<Tally, 'incoming' | 'replacing'> {
  const coming = incomingOf(attempt, machines.counts(attempt.attempt).present);
  if (attempt.replaces === undefined || coming === 0) return { incoming: coming, replacing: 0 };
  const { held, lost } = countNeeds(attempt, machines);
  const isOver = isTerminal(request.status) && !keepsNumber(request);
  const replacing = Math.min(coming, isOver ? held + lost : held);
  return { incoming: coming - replacing, replacing };
}

/**
 * The number that counts against `max_instances`: machines whose release no provider accepted yet, and missing ones.
 */
export function holdsOf(counted: Counted): number {
  const { request, machines } = counted;
  if (request.kind === 'return') return 0;
  const { unreleased, staying } = machines.counts();
  const { target, incoming, replacing } = tally(counted);
  const missing = Math.max(0, target - staying);
  // After the end only replacements are ordered, and machines that a fleet replaces on its own may still arrive.
  return unreleased + replacing + (isTerminal(request.status) ? Math.min(missing, incoming) : missing);
}
