import { Type } from 'typebox';
import { defineProviderApi, ProviderFault, type Observation, type Finding } from '../../core/index.ts';
import {
  ownedFleets,
  poolsOf,
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

/** How fleets may live; the first is taken where a template says nothing. */
const fleetTypes = ['instant', ...standingTypes] as const;

const overruled = ['Type', 'ClientToken', 'TerminateInstancesWithExpiration', 'ExcessCapacityTerminationPolicy'];

/** What EC2 Fleet cannot honour. */
const review = (template: object): Finding[] =>
  reviewFleet(template as CloudTemplate, { types: fleetTypes, overruled, tagged: 'fleet' });

const fields = Type.Object({
  fleet_type: Type.Optional(
    Type.Enum([...fleetTypes], {
      description:
        'How the fleet lives: `instant` (default) starts machines at once and is done, `request` goes on until it has them all, `maintain` also replaces what is lost.',
    }),
  ),
});

const byName: ReadonlyMap<string, FleetType> = new Map([instant, ...standing].map((each) => [each.fleet_type, each]));

/** Has one call choose among machine types, places and markets. */
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
    // A target that arrives late may undo a newer one.
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

  release: (session, handle, aim, call) => typeOf(handle.fleet_type).release(session, handle, aim, call),
  async find(session, order, call) {
    const { prepared } = order;
    // What was never prepared was never sent.
    return prepared && typeOf(prepared.fleet_type).find(session, { ...order, prepared }, call);
  },
  // An order that broke off while it was prepared has nothing but its template to say what it was to become.
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
});

function typeOf(fleetType: string | undefined): FleetType {
  const found = byName.get(fleetType ?? instant.fleet_type);
  if (!found) throw new ProviderFault('invalid', `Fleets of type '${fleetType}' are not served.`);
  return found;
}
