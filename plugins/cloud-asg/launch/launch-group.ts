import type { CreateAutoScalingGroupCommandInput } from '@aws-sdk/client-auto-scaling';
import { isFault, ProviderFault, type Call, type Launch, type LaunchOrder } from '../../../core/index.ts';
import { launchFault, type CloudSession } from '../../cloud/index.ts';
import { describeGroup, isDeleting } from '../observe/describe-groups.ts';
import { changeGroup } from '../observe/group-reads.ts';
import { handleOf, type GroupHandle, type Prepared } from '../group-handle.ts';
import { isGroupOf } from '../group-name.ts';
import { suspendedProcesses, suspend } from './processes.ts';

type Order = LaunchOrder<any, Prepared>;

/** The longest time for which Auto Scaling may not know a new launch template or instance profile. */
const propagationMs = 120_000;

/**
 * Creates the group and suspends every process except launching. As long as the processes are not suspended, the
 * outcome counts as unknown: the core then repeats the order, finds the existing name, and suspends them. Until then
 * scale-in protection keeps the machines.
 */
export async function launchGroup(session: CloudSession, order: Order, call: Call): Promise<Launch<GroupHandle>> {
  const { input, name } = order.prepared;
  try {
    await changeGroup(
      session,
      name,
      (sdk) => new sdk.CreateAutoScalingGroupCommand(input as unknown as CreateAutoScalingGroupCommandInput),
      call,
      { slow: true },
    );
  } catch (error) {
    if (!isFault(error) || error.code !== 'AlreadyExists') throw createFault(session, order, error);
    await verifyOwner(session, order, error, call);
  }
  await suspend(session, name, suspendedProcesses, call).catch((error: unknown) => {
    throw isFault(error) ? unknownOutcome(error) : error;
  });
  return { handle: handleOf(order.prepared), settled: false };
}

/** Checks that the existing group with this name is the one that an earlier call of this order created. */
async function verifyOwner(
  session: CloudSession,
  order: Order,
  alreadyExists: ProviderFault,
  call: Call,
): Promise<void> {
  const { name } = order.prepared;
  const group = await describeGroup(session, name, call).catch((error: unknown) => {
    throw isFault(error) ? unknownOutcome(error) : error;
  });
  if (!group) throw unknownOutcome(alreadyExists);
  if (!isGroupOf(session, order, group))
    throw new ProviderFault(
      'invalid',
      `An Auto Scaling group '${name}' exists that this order did not create. Delete that group.`,
      {
        code: alreadyExists.code,
      },
    );
  if (isDeleting(group))
    throw new ProviderFault('gone', `The Auto Scaling group '${name}' of this order is being deleted.`, {
      code: alreadyExists.code,
    });
}

/** The group may exist. Whatever the second call failed with, the order has to be pursued. */
const unknownOutcome = ({ message, code, retry_after_ms, cause }: ProviderFault): ProviderFault =>
  new ProviderFault('unknown-outcome', message, {
    code,
    cause,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });

/**
 * Auto Scaling validates the launch template immediately, and answers every defect of it with the same message. A new
 * launch template that is not visible yet is retried.
 */
function createFault(session: CloudSession, order: Order, error: unknown): unknown {
  if (!isFault(error)) return error;
  const { message, code, cause } = error;
  const notVisibleYet =
    /fully-formed launch template[\s\S]*launch template[\s\S]*(does not exist|not be found|not found)/i;
  if (
    error.kind === 'invalid' &&
    notVisibleYet.test(message) &&
    session.consistencyGrace.has(`group template ${order.prepared.name}`, propagationMs)
  )
    return new ProviderFault('unavailable', message, { code, cause });
  return launchFault(session, order, error, order.prepared.template);
}
