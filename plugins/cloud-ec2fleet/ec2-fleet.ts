import { Type } from 'typebox';
import { defineProviderApi, ProviderFault, type Observation, type Finding } from '../../core/index.ts';
import {
  ownedFleets,
  poolsOf,
  poolNamed,
  poolsOfMachine,
  removeFleets,
  type CloudSession,
  type CloudTemplate,
  reviewFleet,
  standingTypes,
} from '../cloud/index.ts';
import { ec2FleetPort } from './ec2-fleet-port.ts';
import type { FleetHandle, FleetType, Prepared } from './fleet-type.ts';
import { instant } from './fleet-types/instant.ts';
import { standing } from './fleet-types/standing.ts';
import { fleetParameters } from './fleet-parameters.ts';

/** Types of fleets. The first is the default. */
const fleetTypes = ['instant', ...standingTypes] as const;

const overridden = ['Type', 'ClientToken', 'TerminateInstancesWithExpiration', 'ExcessCapacityTerminationPolicy'];

/** Reports what EC2 Fleet cannot honor. */
const review = (template: object): Finding[] =>
  reviewFleet(template as CloudTemplate, { types: fleetTypes, overridden, tagged: 'fleet' });

const fields = Type.Object({
  fleet_type: Type.Optional(
    Type.Enum([...fleetTypes], {
      description:
        'Type of the fleet: `instant` (default) starts machines in one call, `request` starts machines until it has all of them, `maintain` also replaces lost machines.',
    }),
  ),
});

const byName: ReadonlyMap<string, FleetType> = new Map([instant, ...standing].map((each) => [each.fleet_type, each]));

/** Launches machines through one call that chooses among machine types, places and markets. */
export const ec2Fleet = defineProviderApi<CloudSession>()<typeof fields, FleetHandle, Prepared>({
  type: 'cloud',
  name: 'EC2Fleet',
  fields,
  capabilities: {
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [...fleetTypes],
    machines_per_launch: 1_000,
    offers_per_launch: 'many',
    visible_within_ms: 300_000,
    token_valid_ms: 86_400_000,
    // A delayed call may replace a newer target.
    late_release_ms: 60_000,
  },

  prepare: (session, order, call) =>
    fleetParameters(session, order, typeOf(order.template.fleet_type).fleet_type, call),
  launch: (session, order, call) => typeOf(order.prepared.fleet_type).launch(session, order, call),

  async observe(session, watched, call) {
    const answers: (Observation<FleetHandle> | ProviderFault)[] = [];
    const byType = Map.groupBy(watched.entries(), ([, each]) => each.handle.fleet_type);
    for (const [fleetType, entries] of byType) {
      const seen = await typeOf(fleetType).observe(
        session,
        entries.map(([, each]) => each),
        call,
      );
      entries.forEach(([index], i) => {
        answers[index] = seen[i] as Observation<FleetHandle> | ProviderFault;
      });
    }
    return answers;
  },

  release: (session, handle, releaseTarget, call) =>
    typeOf(handle.fleet_type).release(session, handle, releaseTarget, call),
  async find(session, order, call) {
    const { prepared } = order;
    // An order that was not prepared was not sent.
    return prepared && typeOf(prepared.fleet_type).find(session, { ...order, prepared }, call);
  },
  // An order that broke off during its preparation has only its template to name the type.
  dispose: (session, left, call) =>
    typeOf(left.handle?.fleet_type ?? left.order.prepared?.fleet_type ?? left.order.template.fleet_type).dispose(
      session,
      left,
      call,
    ),

  owned: (session, installation, call) => ownedFleets(session, ec2FleetPort, installation, call),
  remove: (session, orphans, call) => removeFleets(session, ec2FleetPort, orphans, call),

  review,
  offers: (template) => poolsOf(template as unknown as CloudTemplate),
  offersOfMachine: poolsOfMachine,
  offerNamed: poolNamed,
});

function typeOf(fleetType: string | undefined): FleetType {
  const found = byName.get(fleetType ?? instant.fleet_type);
  if (!found)
    throw new ProviderFault(
      'invalid',
      `EC2Fleet has no fleets of type '${fleetType}'. Set fleet_type to ${fleetTypes.join(', ')}.`,
    );
  return found;
}
