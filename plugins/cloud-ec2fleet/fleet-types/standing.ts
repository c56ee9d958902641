import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import type { Watched } from '../../../core/index.ts';
import {
  disposeFleet,
  findFleet,
  launchFleet,
  observeFleets,
  releaseFleet,
  standingTypes,
  withDates,
  type StandingHandle,
} from '../../cloud/index.ts';
import { ec2FleetPort } from '../ec2-fleet-port.ts';
import type { FleetType } from '../fleet-type.ts';

/** Fleets that start their machines after the call and exist until they are deleted. */
export const standing: readonly FleetType[] = standingTypes.map((fleet_type) => ({
  fleet_type,

  launch: (session, order, call) =>
    launchFleet(
      session,
      ec2FleetPort,
      order,
      async () => {
        const dated = withDates(order.prepared.input);
        const input = { ...dated, ClientToken: order.token } as unknown as CreateFleetCommandInput;
        return (await session.write((ec2) => new ec2.CreateFleetCommand(input), call, { slow: true })).FleetId;
      },
      call,
    ),

  observe: (session, watched, call) =>
    observeFleets(session, ec2FleetPort, watched as readonly Watched<StandingHandle>[], call),
  release: (session, handle, releaseTarget, call) =>
    releaseFleet(session, ec2FleetPort, handle as StandingHandle, releaseTarget, call),
  find: (session, order, call) => findFleet(session, ec2FleetPort, order, call),
  dispose: (session, left, call) =>
    disposeFleet(session, ec2FleetPort, left as { order: typeof left.order; handle?: StandingHandle }, call),
}));
