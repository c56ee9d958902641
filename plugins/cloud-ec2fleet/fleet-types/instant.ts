import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type MachineReport } from '../../../core/index.ts';
import {
  redactedReasons,
  dropLaunchTemplate,
  isComplete,
  isProfileMissing,
  isTemplateMissing,
  kindOfReason,
  launchFault,
  observeMachines,
  reportOf,
  machinesOfOrder,
  fleetIdTag,
  tagValue,
  terminate,
  tokenSpent,
  withLeftOut,
  type CloudSession,
} from '../../cloud/index.ts';
import { fleetShortfall, startedMachines, unitsOf, type FleetAnswer } from '../fleet-answer.ts';
import type { FleetOrder, FleetType } from '../fleet-type.ts';

const fleet_type = 'instant';

/**
 * Fleets that try once and return the machines in their answer. They replace no machine, so that a release only
 * terminates machines. The fleet itself costs nothing, counts toward no limit, and is never deleted: a deletion would
 * terminate all its machines.
 */
export const instant: FleetType = {
  fleet_type,

  async launch(session, order, call) {
    const { prepared } = order;
    const input = { ...prepared.input, ClientToken: order.token } as unknown as CreateFleetCommandInput;
    const answer = await session
      .write((ec2) => new ec2.CreateFleetCommand(input), call, { slow: true })
      .catch((error: unknown) => {
        throw launchFault(session, order, error, prepared.template);
      });
    const first: FleetAnswer = { instances: answer.Instances ?? [], errors: answer.Errors ?? [] };
    let machines = startedMachines(first, prepared.weights);
    let errors = first.errors;
    if (unitsOf(machines) < prepared.target) {
      const all = await describeLaunch(session, order, answer.FleetId, first, call);
      machines = merged(machines, all.machines);
      errors = errors.length > 0 ? errors : all.errors;
    }
    const handle = { fleet_type, ...(answer.FleetId === undefined ? {} : { fleet_id: answer.FleetId }) };
    if (unitsOf(machines) >= prepared.target) return { handle, machines, settled: true };
    const unseen = machines.length === 0 ? notVisible(errors) : undefined;
    // The fleet exists and started nothing: a repeated call with its token returns the same fleet.
    if (unseen) throw tokenSpent(launchFault(session, order, unseen, prepared.template), 'order');
    session.logEncoded(
      'CreateFleet',
      errors.map(({ ErrorMessage }) => ErrorMessage),
    );
    const reasons = fleetShortfall({ instances: [], errors }, prepared.pools);
    const shortfall = withLeftOut(
      redactedReasons(reasons, session.parameterValues),
      prepared.pools,
      prepared.left_out,
    );
    const refusal =
      machines.length === 0 && shortfall.every((each) => each.kind === 'invalid')
        ? shortfall.find((each) => each.lack !== 'denied')
        : undefined;
    // No machine was started, and a retry would start none either. Where permissions are missing, other pools remain.
    if (refusal) throw new ProviderFault('invalid', refusal.message, { code: refusal.code });
    return { handle, machines, shortfall, settled: true };
  },

  observe: (session, watched, call) =>
    observeMachines(session, watched, call, { weight: ({ order }, instance) => weightIn(order, instance) }),

  release: (session, _handle, releaseTarget, call) => terminate(session, releaseTarget.go, call),

  async find(session, order, call) {
    const seen = await machinesOfOrder(session, order, call);
    const units = seen.reduce((sum, instance) => sum + weightIn(order, instance), 0);
    if (!isComplete(session, seen, units >= order.prepared.target)) return undefined;
    const fleet_id = seen.map((instance) => tagValue(instance.Tags, fleetIdTag)).find((id) => id !== undefined);
    return { fleet_type, ...(fleet_id === undefined ? {} : { fleet_id }) };
  },

  async dispose(session, { order }, call) {
    await dropLaunchTemplate(session, order, order.prepared?.template, call);
    return { done: true };
  },
};

/**
 * The fault of a fleet that started nothing because it did not see its launch template or its instance profile. A
 * fleet may report this as an error of each pool, with status 200.
 */
function notVisible(errors: FleetAnswer['errors']): ProviderFault | undefined {
  const faults = errors.map(({ ErrorCode = 'Unknown', ErrorMessage: text = 'The launch template does not exist' }) => {
    const message = `CreateFleet: ${text.replace(/[.\s]+$/, '')}. Error Code: ${ErrorCode}`;
    return new ProviderFault(kindOfReason(ErrorCode, text), message, { code: ErrorCode });
  });
  return faults.every((fault) => isTemplateMissing(fault) || isProfileMissing(fault)) ? faults[0] : undefined;
}

/**
 * Describes what a fleet really started, when its answer has too few machines. The answer to a repeated call may
 * contain the id of the fleet alone. So the fleet is described by its id (no filter shows it), and its machines by
 * their tags.
 */
async function describeLaunch(
  session: CloudSession,
  order: FleetOrder,
  fleetId: string | undefined,
  first: FleetAnswer,
  call: Call,
) {
  const found = await Promise.all([
    fleetId === undefined
      ? undefined
      : session.read((ec2) => new ec2.DescribeFleetsCommand({ FleetIds: [fleetId] }), call),
    machinesOfOrder(session, order, call),
  ]).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    // An answer with errors needs no confirmation.
    if (first.errors.length === 0) throw lost(fleetId, error);
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
  if (machines.length === 0 && errors.length === 0 && first.errors.length === 0) throw lost(fleetId);
  return { machines, errors };
}

/** The weight of a machine in the overrides that were sent. */
const weightIn = (
  { prepared }: Pick<FleetOrder, 'prepared'>,
  { InstanceType }: { readonly InstanceType?: string | undefined },
): number => prepared?.weights[InstanceType ?? ''] ?? 1;

const lost = (fleetId: string | undefined, cause?: ProviderFault): ProviderFault =>
  new ProviderFault(
    'unknown-outcome',
    `CreateFleet: fleet '${fleetId}' does not report which machines it started.${cause ? ` ${cause.message}` : ''}`,
    {
      code: cause?.code ?? 'FleetUnknown',
    },
  );

/** The machines of both lists, each once. A described machine replaces one that was only listed. */
function merged(named: readonly MachineReport[], described: readonly MachineReport[]): MachineReport[] {
  return [...new Map([...named, ...described].map((machine) => [machine.machine_id, machine])).values()];
}
