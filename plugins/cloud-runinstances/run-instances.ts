import type { Instance, RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import { Type } from 'typebox';
import { defineProviderApi, isFault, type Call, type Launch, type LaunchOrder } from '../../core/index.ts';
import {
  describeInstances,
  isComplete,
  launchFault,
  observeMachines,
  poolsOf,
  poolNamed,
  poolsOfMachine,
  reportOf,
  terminate,
  weightOf,
  type CloudSession,
  type CloudTemplate,
} from '../cloud/index.ts';
import { launchParameters, type Prepared } from './launch-parameters.ts';
import { lackingOffer, zoneFault } from './open-place.ts';
import { review } from './review.ts';

/** Identifies the order. */
interface Handle {
  readonly client_token: string;
  readonly reservation_id?: string;
}

const fields = Type.Object({});

/**
 * Starts machines directly, without a fleet. No resource keeps running in the background, so that nothing has to be
 * stopped or disposed of.
 */
export const runInstances = defineProviderApi<CloudSession>()<typeof fields, Handle, Prepared>({
  type: 'cloud',
  name: 'RunInstances',
  fields,
  capabilities: {
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [],
    // EC2 advises several launches of 100 rather than one of 500.
    machines_per_launch: 100,
    offers_per_launch: 'one',
    visible_within_ms: 300_000,
    token_valid_ms: 86_400_000,
    late_release_ms: 0,
  },

  prepare: launchParameters,

  /** The token fixes all parameters and the zone: another pool needs another attempt. */
  async launch(session, order, call) {
    const { params, template, open_pool } = order.prepared;
    const handle = { client_token: order.token };
    try {
      const input = { ...params, ClientToken: order.token } as unknown as RunInstancesCommandInput;
      const answer = await session.write((ec2) => new ec2.RunInstancesCommand(input), call, { slow: true });
      const instances = answer.Instances ?? [];
      const lacked =
        open_pool && instances.length < order.machine_count
          ? await lackingOffer(session, open_pool, instances[0]?.Placement?.AvailabilityZone, call).catch(
              () => undefined,
            )
          : undefined;
      return launchOf(
        order,
        { ...handle, ...(answer.ReservationId ? { reservation_id: answer.ReservationId } : {}) },
        instances,
        lacked,
      );
    } catch (error) {
      // The token was used, and all machines that it started are gone: the attempt is over.
      if (isFault(error) && error.code === 'IdempotentInstanceTerminated')
        return { handle, machines: [], settled: true };
      if (isFault(error) && error.code === 'IdempotentParameterMismatch') {
        // The token was used with parameters that EC2 considers different: EC2 never answers, but the machines are
        // visible.
        const seen = await machinesOfToken(session, order.token, call);
        if (isComplete(session, seen, seen.length >= order.machine_count)) return launchOf(order, handle, seen);
      }
      const fault = launchFault(session, order, error, template);
      throw open_pool && isFault(fault)
        ? await zoneFault(session, open_pool, params, fault, call).catch(() => fault)
        : fault;
    }
  },

  observe: observeMachines,

  release: (session, _handle, releaseTarget, call) => terminate(session, releaseTarget.go, call),

  async find(session, order, call) {
    const seen = await machinesOfToken(session, order.token, call);
    return isComplete(session, seen, seen.length >= order.machine_count) ? { client_token: order.token } : undefined;
  },

  review,
  offers: (template) => poolsOf(template as unknown as CloudTemplate),
  offersOfMachine: poolsOfMachine,
  offerNamed: poolNamed,
});

const machinesOfToken = (session: CloudSession, token: string, call: Call) =>
  describeInstances(session, [{ Name: 'client-token', Values: [token] }], call);

/** The result of a launch. EC2 starts as many machines as it can and does not report the missing ones. */
function launchOf(
  order: LaunchOrder<typeof fields, Prepared>,
  handle: Handle,
  instances: readonly Instance[],
  lacked = order.offers?.[0]?.key,
): Launch<Handle> {
  const template = order.template as unknown as CloudTemplate;
  const machines = instances.map((instance) => reportOf(instance, weightOf(template, instance.InstanceType)));
  const count = order.machine_count - machines.length;
  if (count <= 0) return { handle, machines, settled: true };
  const offer = lacked;
  const message = `RunInstances: ${machines.length} of ${order.machine_count} machines were available${offer === undefined ? '' : ` in ${offer}`}. Error Code: InsufficientInstanceCapacity`;
  return {
    handle,
    machines,
    settled: true,
    shortfall: [
      {
        ...(offer === undefined ? {} : { offer }),
        kind: 'capacity',
        code: 'InsufficientInstanceCapacity',
        message,
        count,
      },
    ],
  };
}
