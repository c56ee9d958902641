import type { CallContext } from '../state/call-context.ts';
import type { Instance } from '../state/instances/instance.ts';
import type { FleetError } from '../state/fleets/fleet-pool.ts';
import type { RecordKind, FleetRecord, StandingFleet } from '../state/fleets/standing-fleet.ts';

const keptMs = 172_800_000;

/** Records a change of the fleet itself. */
export function recordChange(context: CallContext, fleet: StandingFleet, event: string): void {
  add(context, fleet, { at: context.now, kind: 'fleet', event, description: undefined, instanceId: undefined });
}

/** Records the launch or the end of a machine. */
export function recordInstance(context: CallContext, fleet: StandingFleet, event: string, instance: Instance): void {
  const { spec } = instance.reservation;
  const description = JSON.stringify({
    instanceType: spec.type.instance_type,
    image: spec.imageId,
    productDescription: 'Linux/UNIX',
    availabilityZone: instance.zone,
  });
  add(context, fleet, { at: context.now, kind: 'instance', event, description, instanceId: instance.id });
}

/** Records why pools delivered nothing, each with its code, and with `nothing` that all pools failed. */
export function recordErrors(
  context: CallContext,
  fleet: StandingFleet,
  errors: readonly FleetError[],
  nothing: boolean,
): void {
  const note = (kind: RecordKind, event: string, description: string) =>
    add(context, fleet, { at: context.now, kind, event, description, instanceId: undefined });
  for (const error of errors) {
    const [kind, event] = eventOf(fleet, error.code);
    note(kind, event, `${describe(error)} The launch will be tried again later.`);
  }
  const last = errors.at(-1);
  if (nothing && last !== undefined)
    note(
      'error',
      'allLaunchSpecsTemporarilyBlacklisted',
      `No launch specification could be launched. ${describe(last)}`,
    );
}

/** The readable records: not before `since`, not younger than `history_ms`, and not older than 48 hours. */
export function readableRecords(context: CallContext, fleet: StandingFleet, since: number): FleetRecord[] {
  const latest = readableUntil(context);
  return fleet.history.filter((record) => record.at >= Math.max(since, context.now - keptMs) && record.at <= latest);
}

/** The latest time at which a record is readable. */
export function readableUntil(context: CallContext): number {
  return context.now - context.knobs.fleets.history_ms;
}

function add(context: CallContext, fleet: StandingFleet, record: FleetRecord): void {
  fleet.history.push(record);
  // Old records are removed in bulk, so that a fleet that always fails neither fills the memory nor copies its list
  // for every record.
  const old = fleet.history.findIndex((one) => one.at >= context.now - keptMs);
  if (old > 1000) fleet.history.splice(0, old);
}

// EC2 fleets have no event type `information` and report such events as errors.
function eventOf(fleet: StandingFleet, code: string): [RecordKind, string] {
  const mild: RecordKind = fleet.kind === 'spot' ? 'information' : 'error';
  if (code === 'SpotMaxPriceTooLow') return [mild, 'launchSpecUnusable'];
  if (code === 'MaxSpotInstanceCountExceeded') return ['error', 'spotInstanceCountLimitExceeded'];
  if (code === 'UnauthorizedOperation') return ['error', 'iamFleetRoleInvalid'];
  if (/^(Invalid|Missing|Unsupported)/.test(code)) return ['error', 'spotFleetRequestConfigurationInvalid'];
  return [mild, 'launchSpecTemporarilyBlacklisted'];
}

function describe(error: FleetError): string {
  const service = error.market === 'spot' ? 'Spot' : 'On-Demand';
  return `${service} launch failed: ${error.message} (Service: AmazonEC2; Error Code: ${error.code}).`;
}
