import type { CreateAutoScalingGroupCommandInput } from '@aws-sdk/client-auto-scaling';
import { isFault, ProviderFault, type Call, type Launch, type LaunchOrder } from '../../../core/index.ts';
import { launchFault, type CloudSession } from '../../cloud/index.ts';
import { describeGroup, isDeleting } from '../observe/describe-groups.ts';
import { handleOf, type GroupHandle, type Prepared } from '../group-handle.ts';
import { isGroupOf } from '../group-name.ts';
import { quiet, suspend } from './processes.ts';

type Order = LaunchOrder<any, Prepared>;

/** Auto Scaling may not know a new launch template or instance profile for so long. */
const youngMs = 120_000;

/**
 * Makes the group and forbids it all but growing. Both or none: as long as the second is not done the outcome counts
 * as unknown, so that the core comes again, finds the name taken, and does it then. Until then the protection that
 * machines are born with keeps them. /
 */
export async function launchGroup(session: CloudSession, order: Order, call: Call): Promise<Launch<GroupHandle>> {
  const { input, name } = order.prepared;
  try {
    await session.groups.write(
      (sdk) => new sdk.CreateAutoScalingGroupCommand(input as unknown as CreateAutoScalingGroupCommandInput),
      call,
      { slow: true },
    );
  } catch (error) {
    if (!isFault(error) || error.code !== 'AlreadyExists') throw createFault(session, order, error);
    await claim(session, order, error, call);
  }
  await suspend(session, name, quiet, call).catch((error: unknown) => {
    throw isFault(error) ? unfinished(error) : error;
  });
  return { handle: handleOf(order.prepared), settled: false };
}

/** The name is taken. By this order's group, which an earlier call made, or by somebody's. */
async function claim(session: CloudSession, order: Order, taken: ProviderFault, call: Call): Promise<void> {
  const { name } = order.prepared;
  const group = await describeGroup(session, name, call).catch((error: unknown) => {
    throw isFault(error) ? unfinished(error) : error;
  });
  if (!group) throw unfinished(taken);
  if (!isGroupOf(session, order, group))
    throw new ProviderFault(
      'invalid',
      `An Auto Scaling group '${name}' that this order did not make is in its way. Delete it.`,
      {
        code: taken.code,
      },
    );
  if (isDeleting(group))
    throw new ProviderFault('gone', `The Auto Scaling group '${name}' of this order is being deleted.`, {
      code: taken.code,
    });
}

/** The group may be there: whatever the second call met, the order has to be pursued. */
const unfinished = ({ message, code, retry_after_ms, cause }: ProviderFault): ProviderFault =>
  new ProviderFault('unknown-outcome', message, {
    code,
    cause,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });

/**
 * Auto Scaling tries the launch template out at once, and says of all that is wrong with it the same thing. What is
 * only young is waited for.
 */
function createFault(session: CloudSession, order: Order, error: unknown): unknown {
  if (!isFault(error)) return error;
  const { message, code, cause } = error;
  const unknownYet =
    /fully-formed launch template[\s\S]*launch template[\s\S]*(does not exist|not be found|not found)/i;
  if (
    error.kind === 'invalid' &&
    unknownYet.test(message) &&
    session.consistencyGrace.has(`group template ${order.token}`, youngMs)
  )
    return new ProviderFault('unavailable', message, { code, cause });
  return launchFault(session, order, error, order.prepared.template);
}
