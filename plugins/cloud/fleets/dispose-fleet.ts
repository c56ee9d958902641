import { isFault, type Call, type Progress } from '../../../core/index.ts';
import { machinesOfOrder } from '../release/find.ts';
import { dropLaunchTemplate } from '../launch/launch-template.ts';
import { reportOf } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagValue } from '../template/tags.ts';
import { terminate } from '../release/terminate.ts';
import { findFleet } from './find-fleet.ts';
import type { FleetPort, LeftOrder, StandingHandle } from './fleet-port.ts';
import { isStopped, isVisible, mayStillDeliver, describeFleet } from './describe-fleets.ts';

/**
 * Deletes a standing fleet, then terminates machines of the order that started too late to be recorded, then deletes
 * its launch template: without it the fleet could not finish launches in progress. An order without a handle may have
 * created a fleet too.
 */
export async function disposeFleet(
  session: CloudSession,
  port: FleetPort,
  { order, handle }: { readonly order: LeftOrder; readonly handle?: StandingHandle },
  call: Call,
): Promise<Progress> {
  const { prepared } = order;
  const id =
    handle?.fleet_id ?? (prepared && (await findFleet(session, port, { ...order, prepared }, call))?.fleet_id);
  const fleet = id === undefined ? 'gone' : await describeFleet(session, port, id, call);
  if (fleet === 'propagating') return { done: false, again_ms: 5_000 };
  // A fleet whose time has expired exists until it is stopped.
  if (isVisible(fleet) && !fleet.state.startsWith('stopped') && fleet.state !== 'failed') {
    await port.stop(session, fleet.id, call).catch((error: unknown) => {
      if (!isFault(error) || error.kind !== 'unavailable') throw error;
    });
    return { done: false, again_ms: 1_000 };
  }
  const late = (await machinesOfOrder(session, order, call)).filter(
    ({ State, Tags }) => State?.Name !== 'terminated' && tagValue(Tags, ownTags.installation) === session.installation,
  );
  if (late.length > 0) {
    await terminate(
      session,
      late.map((instance) => reportOf(instance)),
      call,
    );
    return { done: false, again_ms: 5_000 };
  }
  if (isVisible(fleet) && isStopped(session, fleet) && mayStillDeliver(session, fleet))
    return { done: false, again_ms: 5_000 };
  await dropLaunchTemplate(session, order, prepared?.template, call);
  return { done: true };
}
