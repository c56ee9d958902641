import { isFault, ProviderFault, type Call, type Launch } from '../../../core/index.ts';
import { launchFault } from '../faults/launch-faults.ts';
import type { CloudSession } from '../connection/session.ts';
import { findFleet } from './find-fleet.ts';
import { handleOf, type FleetPort, type StandingHandle, type StandingOrder } from './fleet-port.ts';

/** Sends the call that creates a standing fleet. The answer contains only an id: the machines start after the call. */
export async function launchFleet(
  session: CloudSession,
  port: FleetPort,
  order: StandingOrder,
  create: () => Promise<string | undefined>,
  call: Call,
): Promise<Launch<StandingHandle>> {
  try {
    const id = await create();
    if (id === undefined)
      throw new ProviderFault('unknown-outcome', 'The cloud created a fleet and returned no id.', {
        code: 'FleetUnknown',
      });
    return { handle: handleOf(order.prepared, id), settled: false };
  } catch (error) {
    if (isFault(error) && error.code === 'IdempotentParameterMismatch') {
      // The token was used with parameters that the cloud considers different: the cloud never answers, but the fleet
      // can be found.
      const handle = await findFleet(session, port, order, call);
      if (handle) return { handle, settled: false };
    }
    throw launchFault(session, order, error, order.prepared.template);
  }
}

/** Converts the times of a stored input, which is JSON, to dates for the SDK. */
export function withDates(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const dates = ['ValidFrom', 'ValidUntil'].flatMap((name) => {
    const value = input[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, new Date(value)] as const] : [];
  });
  return { ...input, ...Object.fromEntries(dates) };
}
