import { chunks, isFault, type Call, ProviderFault } from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import type { CloudSession } from '../connection/session.ts';
import type { FleetPort, FleetView } from './fleet-port.ts';

/** Ids in one question. */
const idsPerCall = 100;
/** As long as that, the cloud may not know a fleet that it has just made. */
const youngMs = 300_000;
/** What a fleet had ordered when it was stopped arrives within this time. */
const flightMs = 60_000;

/**
 * What is known of a fleet: `young` if it is not shown, and may be too new for that; `gone` if it is not shown and
 * should be.
 */
export type Sight = FleetView | 'young' | 'gone';

/** Fleets by their ids. A question that failed is the answer for each fleet that it was about. */
export async function lookUp(
  session: CloudSession,
  port: FleetPort,
  ids: readonly string[],
  call: Call,
): Promise<Map<string, Sight | ProviderFault>> {
  const found = new Map<string, Sight | ProviderFault>();
  const batches = chunks(ids, idsPerCall);
  await inTurn(batches, (batch) => askFor(session, port, batch, found, call)).then((results) => {
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  });
  return found;
}

/** One fleet; throws the fault of its question. */
export async function sightOf(session: CloudSession, port: FleetPort, id: string, call: Call): Promise<Sight> {
  const seen = (await lookUp(session, port, [id], call)).get(id) ?? 'young';
  if (isFault(seen)) throw seen;
  return seen;
}

export const isView = (sight: Sight | ProviderFault | undefined): sight is FleetView =>
  typeof sight === 'object' && !isFault(sight) && 'target' in sight;

/** It starts nothing more, but for what it had ordered before. */
export function isStopped(session: CloudSession, view: FleetView): boolean {
  return (
    view.state.startsWith('stopped') ||
    view.state === 'failed' ||
    session.cloudClock.now() > (view.valid_until ?? Infinity)
  );
}

/**
 * Whether machines that a stopped fleet had ordered may still come. The cloud says so only when it calls the fleet
 * gone, which it does not while any machine of it lives; else time tells, counted from when the stop was first seen. /
 */
export function mayStillDeliver(session: CloudSession, view: FleetView): boolean {
  if (view.state === 'stopped' || view.state === 'failed') return false;
  return session.consistencyGrace.has(`fleet ${view.id} stopped`, flightMs);
}

/**
 * One id that the cloud does not know fails the question for all: it is asked again without those that the refusal
 * names, or by halves.
 */
async function askFor(
  session: CloudSession,
  port: FleetPort,
  ids: readonly string[],
  found: Map<string, Sight | ProviderFault>,
  call: Call,
): Promise<void> {
  if (ids.length === 0) return;
  try {
    const views = new Map((await port.describe(session, ids, call)).map((view) => [view.id, view]));
    for (const id of ids) found.set(id, views.get(id) ?? missing(session, id));
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind !== 'gone') return void ids.forEach((id) => found.set(id, error));
    const named = ids.filter((id) => error.message.includes(id));
    if (ids.length === 1) return void found.set(ids[0] ?? '', missing(session, ids[0] ?? ''));
    const half = Math.ceil(ids.length / 2);
    const parts =
      named.length > 0 && named.length < ids.length
        ? [named, ids.filter((id) => !named.includes(id))]
        : [ids.slice(0, half), ids.slice(half)];
    for (const part of parts) await askFor(session, port, part, found, call);
  }
}

const missing = (session: CloudSession, id: string): Sight =>
  session.consistencyGrace.has(`fleet ${id}`, youngMs) ? 'young' : 'gone';
