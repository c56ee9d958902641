import type { SpotFleetRequestConfigData } from '@aws-sdk/client-ec2';
import { Type } from 'typebox';
import { defineProviderApi } from '../../core/index.ts';
import {
  disposeFleet,
  findFleet,
  launchFleet,
  observeFleets,
  poolsOf,
  poolNamed,
  poolsOfMachine,
  releaseFleet,
  standingTypes,
  withDates,
  type CloudSession,
  type CloudTemplate,
  type StandingHandle,
  type StandingPrepared,
  ownedFleets,
  removeFleets,
} from '../cloud/index.ts';
import { review } from './review.ts';
import { orderInSpot, spotByDefault, watchedInSpot } from './spot-by-default.ts';
import { spotFleetParameters } from './spot-fleet-parameters.ts';
import { spotFleetPort } from './spot-fleet-port.ts';

const fields = Type.Object({
  fleet_type: Type.Optional(
    Type.Enum([...standingTypes], {
      description:
        'Type of the fleet: `request` (default) starts machines until it has all of them, `maintain` also replaces lost machines.',
    }),
  ),
  fleet_role: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Name or ARN of the role of the fleet. Default: `service_role_spot_fleet` of the provider.',
    }),
  ),
  spot_fleet_request_expiry: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 525_600,
      description: 'Minutes after which the fleet starts no more machines. Its machines stay. Default: never.',
    }),
  ),
});

/**
 * Launches machines through one request that chooses among machine types, places and markets, and that starts the
 * machines after the call.
 */
export const spotFleet = defineProviderApi<CloudSession>()<typeof fields, StandingHandle, StandingPrepared>({
  type: 'cloud',
  name: 'SpotFleet',
  fields,
  capabilities: {
    supports_spot: true,
    // Only beside Spot: as a share of each fleet.
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [...standingTypes],
    machines_per_launch: 1_000,
    offers_per_launch: 'many',
    visible_within_ms: 300_000,
    token_valid_ms: 86_400_000,
    // A delayed call may replace a newer target.
    late_release_ms: 60_000,
  },

  prepare: (session, order, call) => spotFleetParameters(session, orderInSpot(order), call),

  launch: (session, order, call) =>
    launchFleet(
      session,
      spotFleetPort,
      order,
      async () => {
        const dated = withDates(order.prepared.input);
        const SpotFleetRequestConfig = { ...dated, ClientToken: order.token } as unknown as SpotFleetRequestConfigData;
        const answer = await session.write((ec2) => new ec2.RequestSpotFleetCommand({ SpotFleetRequestConfig }), call);
        return answer.SpotFleetRequestId;
      },
      call,
    ),

  observe: (session, watched, call) => observeFleets(session, spotFleetPort, watchedInSpot(watched), call),
  release: (session, handle, releaseTarget, call) => releaseFleet(session, spotFleetPort, handle, releaseTarget, call),
  async find(session, order, call) {
    const { prepared } = order;
    // An order that was not prepared was not sent.
    return prepared && findFleet(session, spotFleetPort, { ...order, prepared }, call);
  },
  dispose: (session, left, call) => disposeFleet(session, spotFleetPort, left, call),

  owned: (session, installation, call) => ownedFleets(session, spotFleetPort, installation, call),
  remove: (session, orphans, call) => removeFleets(session, spotFleetPort, orphans, call),

  review,
  offers: (template) => poolsOf(spotByDefault(template as unknown as CloudTemplate)),
  offersOfMachine: poolsOfMachine,
  offerNamed: poolNamed,
});
