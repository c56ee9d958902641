import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type MachineReport } from '../../../core/index.ts';
import {
  concealedReasons,
  dropLaunchTemplate,
  isComplete,
  launchFault,
  observeMachines,
  reportOf,
  seenMachines,
  tagValue,
  terminate,
  type CloudSession,
} from '../../cloud/index.ts';
import { fleetShortfall, startedMachines, unitsOf, type FleetAnswer } from '../fleet-answer.ts';
import type { FleetOrder, FleetType } from '../fleet-type.ts';

const fleet_type = 'instant';

/**
 * Fleets that try once and answer at once. Nothing is replenished, so machines are simply terminated; the fleet itself
 * costs nothing, counts against no limit and is never deleted: deleting it would kill all its machines. /
 */
export const instant: FleetType = {
  fleet_type,

  async launch(session, order, call) {
    const { prepared } = order;
    const answer = await session
      .write((ec2) => new ec2.CreateFleetCommand(prepared.input as unknown as CreateFleetCommandInput), call, {
        slow: true,
      })
      .catch((error: unknown) => {
        throw launchFault(session, order, error, prepared.template);
      });
    const said: FleetAnswer = { instances: answer.Instances ?? [], errors: answer.Errors ?? [] };
    let machines = startedMachines(said, prepared.weights);
    let errors = said.errors;
    if (unitsOf(machines) < prepared.target) {
      const all = await confirmed(session, order, answer.FleetId, said, call);
      machines = merged(machines, all.machines);
      errors = errors.length > 0 ? errors : all.errors;
    }
    const handle = { fleet_type, ...(answer.FleetId === undefined ? {} : { fleet_id: answer.FleetId }) };
    if (unitsOf(machines) >= prepared.target) return { handle, machines, settled: true };
    const shortfall = concealedReasons(
      fleetShortfall({ instances: [], errors }, prepared.pools),
      session.parameterValues,
    );
    const refusal =
      machines.length === 0 && shortfall.every((each) => each.kind === 'invalid') ? shortfall[0] : undefined;
    // Nothing was started, and nothing will be however often it is tried.
    if (refusal) throw new ProviderFault('invalid', refusal.message, { code: refusal.code });
    return { handle, machines, shortfall, settled: true };
  },

  observe: (session, watched, call) =>
    observeMachines(session, watched, call, { weight: ({ order }, instance) => weightIn(order, instance) }),

  release: (session, _handle, aim, call) => terminate(session, aim.go, call),

  async find(session, order, call) {
    const seen = await seenMachines(session, order, call);
    const units = seen.reduce((sum, instance) => sum + weightIn(order, instance), 0);
    if (!isComplete(session, seen, units >= order.prepared.target)) return undefined;
    const fleet_id = seen
      .map((instance) => tagValue(instance.Tags, 'aws:ec2:fleet-id'))
      .find((id) => id !== undefined);
    return { fleet_type, ...(fleet_id === undefined ? {} : { fleet_id }) };
  },

  async dispose(session, { order }, call) {
    await dropLaunchTemplate(session, order, order.prepared?.template, call);
    return { done: true };
  },
};

/**
 * What a fleet really started, when its answer is short. The answer to a replay may name the fleet and nothing else,
 * so the fleet is asked by its id (it shows itself to no other question), and the machines by their tags. /
 */
async function confirmed(
  session: CloudSession,
  order: FleetOrder,
  fleetId: string | undefined,
  said: FleetAnswer,
  call: Call,
) {
  const found = await Promise.all([
    fleetId === undefined
      ? undefined
      : session.read((ec2) => new ec2.DescribeFleetsCommand({ FleetIds: [fleetId] }), call),
    seenMachines(session, order, call),
  ]).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    // With reasons in hand the answer speaks for itself.
    if (said.errors.length === 0) throw lost(fleetId, error);
    return undefined;
  });
  if (!found) return { machines: [], errors: [] };
  const [fleets, seen] = found;
  const fleet = fleets?.Fleets?.[0];
  const named = startedMachines({ instances: fleet?.Instances ?? [], errors: [] }, order.prepared.weights);
  const machines = merged(
    named,
    seen.map((instance) => reportOf(instance, weightIn(order, instance))),
  );
  const errors = fleet?.Errors ?? [];
  if (machines.length === 0 && errors.length === 0 && said.errors.length === 0) throw lost(fleetId);
  return { machines, errors };
}

/** As the overrides say that were sent. */
const weightIn = (
  { prepared }: Pick<FleetOrder, 'prepared'>,
  { InstanceType }: { readonly InstanceType?: string | undefined },
): number => prepared?.weights[InstanceType ?? ''] ?? 1;

const lost = (fleetId: string | undefined, cause?: ProviderFault): ProviderFault =>
  new ProviderFault(
    'unknown-outcome',
    `CreateFleet: fleet '${fleetId}' does not say what it started.${cause ? ` ${cause.message}` : ''}`,
    {
      code: cause?.code ?? 'FleetUnknown',
    },
  );

/** Machines of both lists, each once; what was described says more than what was only named. */
function merged(named: readonly MachineReport[], described: readonly MachineReport[]): MachineReport[] {
  return [...new Map([...named, ...described].map((machine) => [machine.machine_id, machine])).values()];
}
