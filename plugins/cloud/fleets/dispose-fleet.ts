import { isFault, type Call, type Progress } from '../../../core/index.ts';
import { seenMachines } from '../release/find.ts';
import { dropLaunchTemplate } from '../launch/launch-template.ts';
import { reportOf } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagValue } from '../template/tags.ts';
import { terminate } from '../release/terminate.ts';
import { findFleet } from './find-fleet.ts';
import type { FleetPort, LeftOrder, StandingHandle } from './fleet-port.ts';
import { isStopped, isView, mayStillDeliver, sightOf } from './look-up.ts';

/**
 * Removes a standing fleet, then machines of the order that came too late for anybody to know them, then its launch
 * template: a fleet without it could not even finish what it has begun. An order whose handle never came may have made
 * a fleet all the same. /
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
  const sight = id === undefined ? 'gone' : await sightOf(session, port, id, call);
  if (sight === 'young') return { done: false, again_ms: 5_000 };
  // One whose time is over still exists until it is stopped.
  if (isView(sight) && !sight.state.startsWith('stopped') && sight.state !== 'failed') {
    await port.stop(session, sight.id, call).catch((error: unknown) => {
      if (!isFault(error) || error.kind !== 'unavailable') throw error;
    });
    return { done: false, again_ms: 1_000 };
  }
  const late = (await seenMachines(session, order, call)).filter(
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
  if (isView(sight) && isStopped(session, sight) && mayStillDeliver(session, sight))
    return { done: false, again_ms: 5_000 };
  await dropLaunchTemplate(session, order, prepared?.template, call);
  return { done: true };
}
