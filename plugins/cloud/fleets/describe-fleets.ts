import { chunks, isFault, type Call, ProviderFault } from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import type { CloudSession } from '../connection/session.ts';
import type { FleetPort, FleetView } from './fleet-port.ts';

/** The most ids of one call. */
const idsPerCall = 100;
/** The longest time for which the cloud may not show a fleet that it has just created. */
const propagationMs = 300_000;
/** The longest time until machines appear that a fleet had started before it was stopped. */
const inFlightMs = 60_000;

/**
 * The description of a fleet. `propagating`: not shown, but the fleet may be too new. `gone`: not shown, although it
 * is old enough.
 */
export type FleetLookup = FleetView | 'propagating' | 'gone';

/** Describes fleets by id. The fault of a failed call is the result of each fleet of the call. */
export async function describeFleets(
  session: CloudSession,
  port: FleetPort,
  ids: readonly string[],
  call: Call,
): Promise<Map<string, FleetLookup | ProviderFault>> {
  const found = new Map<string, FleetLookup | ProviderFault>();
  const batches = chunks(ids, idsPerCall);
  await inTurn(batches, (batch) => askFor(session, port, batch, found, call)).then((results) => {
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  });
  return found;
}

/** Describes one fleet. Throws the fault of a failed call. */
export async function describeFleet(
  session: CloudSession,
  port: FleetPort,
  id: string,
  call: Call,
): Promise<FleetLookup> {
  const seen = (await describeFleets(session, port, [id], call)).get(id) ?? 'propagating';
  if (isFault(seen)) throw seen;
  return seen;
}

export const isVisible = (sight: FleetLookup | ProviderFault | undefined): sight is FleetView =>
  typeof sight === 'object' && !isFault(sight) && 'target' in sight;

/** Whether the fleet starts no more machines, except those in flight. */
export function isStopped(session: CloudSession, view: FleetView): boolean {
  return (
    view.state.startsWith('stopped') ||
    view.state === 'failed' ||
    session.cloudClock.now() > (view.valid_until ?? Infinity)
  );
}

/**
 * Whether machines of a stopped fleet may still appear. The cloud reports the end only when no machine of the fleet
 * lives. Otherwise a time limit decides, counted from the first observation of the stop.
 */
export function mayStillDeliver(session: CloudSession, view: FleetView): boolean {
  if (view.state === 'stopped' || view.state === 'failed') return false;
  return session.consistencyGrace.has(`fleet ${view.id} stopped`, inFlightMs);
}

/** One unknown id fails the whole call. The call is repeated without the ids that the error names, or in halves. */
async function askFor(
  session: CloudSession,
  port: FleetPort,
  ids: readonly string[],
  found: Map<string, FleetLookup | ProviderFault>,
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

const missing = (session: CloudSession, id: string): FleetLookup =>
  session.consistencyGrace.has(`fleet ${id}`, propagationMs) ? 'propagating' : 'gone';
