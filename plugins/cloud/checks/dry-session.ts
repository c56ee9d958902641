import { isFault, ProviderFault } from '../../../core/index.ts';
import type { Service } from '../connection/service.ts';
import type { CloudSession } from '../connection/session.ts';
import { isDenied } from '../faults/denied.ts';
import { ownResourceActions } from './own-resource-actions.ts';

/**
 * How a call of a dry session ended. `untried`: it was not sent, because the service has no dry run of it. `unclear`:
 * it was denied for a resource that does not exist, which a policy by the tags of the resource also does.
 */
export interface DryCall {
  readonly action: string;
  readonly outcome: 'permitted' | 'denied' | 'unclear' | 'refused' | 'untried';
  readonly input: Readonly<Record<string, unknown>>;
  readonly fault?: ProviderFault;
}

const fleetId = 'fleet-00000000-0000-0000-0000-000000000000';
const spotFleetId = 'sfr-00000000-0000-0000-0000-000000000000';

/** Actions of EC2 that have a dry run, with an answer that stands for that of the real call. No other call is sent. */
const dryAnswers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  RunInstances: { Instances: [], ReservationId: 'r-00000000000000000' },
  // With a machine an instant fleet has all that was ordered.
  CreateFleet: { FleetId: fleetId, Instances: [{ InstanceIds: ['i-00000000000000000'] }], Errors: [] },
  RequestSpotFleet: { SpotFleetRequestId: spotFleetId },
  CreateLaunchTemplate: { LaunchTemplate: { LaunchTemplateId: 'lt-00000000000000000' } },
  CreateLaunchTemplateVersion: { LaunchTemplateVersion: { VersionNumber: 1 } },
  ModifyLaunchTemplate: {},
  DeleteLaunchTemplate: {},
  DeleteLaunchTemplateVersions: {},
  TerminateInstances: { TerminatingInstances: [] },
  CreateTags: {},
  ModifyFleet: { Return: true },
  DeleteFleets: {},
  CancelSpotFleetRequests: {},
};

/** What reads show of a fleet that was not created: it runs. So the calls that stop it are made too. */
const readAnswers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DescribeFleets: {
    Fleets: [
      {
        FleetId: fleetId,
        FleetState: 'active',
        ActivityStatus: 'fulfilled',
        FulfilledCapacity: 2,
        TargetCapacitySpecification: { TotalTargetCapacity: 2, OnDemandTargetCapacity: 2, SpotTargetCapacity: 0 },
      },
    ],
  },
  DescribeSpotFleetRequests: {
    SpotFleetRequestConfigs: [
      {
        SpotFleetRequestId: spotFleetId,
        SpotFleetRequestState: 'active',
        ActivityStatus: 'fulfilled',
        SpotFleetRequestConfig: { TargetCapacity: 2, OnDemandTargetCapacity: 0, FulfilledCapacity: 2 },
      },
    ],
  },
};

/** The ids above: a call that names one of them cannot find it, which is no finding. */
const standIn = /(?:lt|i|r)-0{16}[01]|(?:fleet|sfr)-0{8}-/;

interface AnyCommand {
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * A session that changes nothing: calls that would change the cloud are sent as dry runs with exactly their
 * parameters, and answered as if they had been carried out. `record` gets every call that changes, and reads that
 * are denied.
 */
export function drySession(session: CloudSession, record: (call: DryCall) => void): CloudSession {
  const read = ended(session, record);
  return {
    ...session,
    read,
    async write(make, call) {
      let action = '';
      let input: AnyCommand['input'] = {};
      try {
        return await session.read((ec2) => {
          const command = make(ec2) as unknown as AnyCommand;
          action = actionOf(command);
          input = command.input;
          if (!Object.hasOwn(dryAnswers, action)) throw new NoDryRun();
          const Dry = command.constructor as new (input: object) => AnyCommand;
          return new Dry({ ...input, DryRun: true }) as unknown as ReturnType<typeof make>;
        }, call);
      } catch (error) {
        if (!isFault(error)) throw error;
        const outcome = outcomeOf(error, { action, input });
        record({ action, outcome, input, ...(outcome === 'permitted' ? {} : { fault: error }) });
        if (outcome === 'refused') throw error;
        // After a denial the rest is tried all the same, so that one run finds every missing permission.
        return (dryAnswers[action] ?? {}) as never;
      }
    },
    groups: untried(session.groups, record),
    queues: untried(session.queues, record),
    logEncoded: () => undefined,
  };
}

class NoDryRun extends Error {
  override readonly name = 'NoDryRun';
}

function outcomeOf(fault: ProviderFault, { action, input }: Pick<DryCall, 'action' | 'input'>): DryCall['outcome'] {
  if (fault.code === 'DryRunOperation') return 'permitted';
  if (fault.cause instanceof NoDryRun || fault.code === 'NoDryRun') return 'untried';
  if (isDenied(fault)) return isByTag(fault, action) && standIn.test(JSON.stringify(input)) ? 'unclear' : 'denied';
  return isOfStandIn(fault, input) ? 'permitted' : 'refused';
}

/** Whether the tags of a resource may decide. An explicit denial precedes every permission. */
const isByTag = ({ message }: ProviderFault, action: string): boolean =>
  ownResourceActions.has(action) && !/explicit deny/i.test(message);

/** Whether a call only failed because it names what a dry run did not create. AWS checks permissions before it. */
const isOfStandIn = ({ code }: ProviderFault, input: AnyCommand['input']): boolean =>
  standIn.test(JSON.stringify(input)) && /NotFound|DoesNotExist|Malformed/i.test(code);

const actionOf = (command: object): string => command.constructor.name.replace(/Command$/, '');

/** Reads of a session, whose denials are recorded. A fleet that was not created is shown as one that runs. */
function ended(service: Pick<Service<any>, 'read'>, record: (call: DryCall) => void): Service<any>['read'] {
  return async (make, call, options) => {
    let action = '';
    let input: AnyCommand['input'] = {};
    try {
      return await service.read(
        (sdk) => {
          const command = make(sdk);
          action = actionOf(command);
          input = (command as unknown as AnyCommand).input;
          return command;
        },
        call,
        options,
      );
    } catch (error) {
      if (!isFault(error)) throw error;
      if (isDenied(error)) record({ action, outcome: 'denied', input, fault: error });
      else if (isOfStandIn(error, input) && Object.hasOwn(readAnswers, action)) return readAnswers[action] as never;
      throw error;
    }
  };
}

/** A service without dry runs: its changes are recorded and not sent. */
function untried<Sdk>(service: Service<Sdk>, record: (call: DryCall) => void): Service<Sdk> {
  const read = ended(service, record) as Service<Sdk>['read'];
  return {
    ...service,
    read,
    async write(make, call) {
      // The command is only made, to learn its name: `read` is left before it is sent.
      let action = '';
      await service
        .read((sdk) => {
          action = actionOf(make(sdk));
          throw new NoDryRun();
        }, call)
        .catch(() => undefined);
      record({ action, outcome: 'untried', input: {} });
      return {} as never;
    },
  };
}
