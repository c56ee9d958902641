import { LRUCache } from 'lru-cache';
import type { Activity, AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { isFault, type Call, type Shortfall, type Watched } from '../../../core/index.ts';
import {
  redactedReasons,
  kindOfCode,
  reasonFor,
  sessionField,
  type CloudSession,
  type Market,
  type Pool,
} from '../../cloud/index.ts';
import type { GroupHandle, Prepared } from '../group-handle.ts';

/** The shortest time between two reads of the history of one group, and before the first one. */
const readIntervalMs = 2_000;
const maxActivities = 100;
const action = 'DescribeScalingActivities';

/** By group: the monotonic time of the last read of its history, or since when it is short. */
const lastReads = sessionField(() => new LRUCache<string, number>({ max: 10_000 }));

/**
 * When the history of a group was last read. A call reads the history of one group, and all actions of Auto Scaling
 * share one small rate limit: the group that has waited longest comes first.
 */
export const historyReadAt = (session: CloudSession, { name }: GroupHandle): number =>
  lastReads(session).get(name) ?? -Infinity;

/**
 * Why a group has less capacity than ordered, by pool. A group reports this only in its history: with a place, and
 * with a sentence without a code. A failure in one subnet counts for all pools of the subnet. In a group without
 * subnets a failure counts once it has occurred in all zones of the group. Empty: nothing is known now, for example
 * because the rate limit allows no further read.
 */
export async function groupShortfall(
  session: CloudSession,
  { handle, order }: Watched<GroupHandle>,
  group: AutoScalingGroup,
  call: Call,
): Promise<Shortfall[]> {
  const reads = lastReads(session);
  const now = session.clock.monotonic();
  const last = reads.get(handle.name);
  if (last === undefined) reads.set(handle.name, now);
  if (now - (last ?? now) < readIntervalMs || !session.groups.isFree(action)) return [];
  reads.set(handle.name, now);
  try {
    await session.groups.admit(action, call);
    const { Activities } = await session.groups.read(
      (sdk) =>
        new sdk.DescribeScalingActivitiesCommand({ AutoScalingGroupName: handle.name, MaxRecords: maxActivities }),
      call,
      { admitted: true },
    );
    session.logEncoded('The launch of a group', Activities?.map(({ StatusMessage }) => StatusMessage) ?? []);
    const { pools } = order.prepared as Prepared;
    return redactedReasons(
      shortfallOf(Activities ?? [], pools, group.AvailabilityZones ?? []),
      session.parameterValues,
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    call.log.debug({ group: handle.name, code: error.code }, error.message);
    return [];
  }
}

interface Failure {
  readonly subnet_id?: string | undefined;
  readonly zone?: string | undefined;
  readonly market?: Market | undefined;
  readonly reason: ReturnType<typeof reasonFor>;
}

export function shortfallOf(
  activities: readonly Activity[],
  pools: readonly Pool[],
  zones: readonly string[],
): Shortfall[] {
  const failures = activities.flatMap((activity) => failureOf(activity) ?? []);
  const found = pools.flatMap((pool) => {
    const here = failures.filter((failure) => concerns(failure, pool));
    // A subnet is in one zone. Without subnets the group tries its next zone by itself.
    const inAllZones =
      pool.subnet_id !== undefined ||
      zones.every((zone) => here.some((each) => each.zone === undefined || each.zone === zone));
    const [last] = here;
    if (!last || !inAllZones) return [];
    return [{ offer: pool.key, ...last.reason }];
  });
  return found;
}

const concerns = ({ subnet_id, market }: Failure, pool: Pool): boolean =>
  // Only messages about Spot name their market.
  (market === undefined || (market === 'spot') === (pool.market === 'spot')) &&
  (subnet_id === undefined || pool.subnet_id === undefined || subnet_id === pool.subnet_id);

function failureOf({ StatusCode, StatusMessage, Details }: Activity): Failure | undefined {
  if (StatusCode !== 'Failed' && StatusCode !== 'Cancelled') return undefined;
  const text = (StatusMessage ?? '').replace(/\s*Launching EC2 instance failed\.?\s*$/, '').replace(/[.\s]+$/, '');
  const code = codeIn(text);
  // A person or muster may have cancelled the launch. Only a known reason shows that the cloud did.
  if (code === undefined && StatusCode === 'Cancelled') return undefined;
  const reason = reasonFor(code ?? 'LaunchFailed', text, 'CreateAutoScalingGroup');
  // Messages about Spot always name Spot. Capacity messages without it are about on-demand machines.
  const market = /\bspot\b/i.test(text)
    ? 'spot'
    : (code !== undefined && reason.kind === 'capacity') || /on-demand/i.test(text)
      ? 'on-demand'
      : undefined;
  const place = placeOf(Details);
  return {
    ...place,
    market,
    reason,
  };
}

function placeOf(details: string | undefined): Pick<Failure, 'subnet_id' | 'zone'> {
  try {
    const given = JSON.parse(details ?? '{}') as Record<string, unknown>;
    const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
    return { subnet_id: text('Subnet ID'), zone: text('Availability Zone') };
  } catch {
    return {};
  }
}

/** Messages of EC2 that come without their code. */
const codesByMessage: readonly (readonly [RegExp, string])[] = [
  [/spread placement group/i, 'VcpuLimitExceeded'],
  [
    /sufficient .*capacity|no Spot capacity|capacity is not available|unable to fulfill capacity/i,
    'InsufficientInstanceCapacity',
  ],
  [/capacity reservation .*(enough|sufficient) available/i, 'ReservationCapacityExceeded'],
  [/not supported in your requested Availability Zone/i, 'Unsupported'],
  [/Client\.InternalError/, 'Client.InternalError'],
  [/\bKMS\b/, 'InvalidKMSKey.InvalidState'],
  [/spot .*price|price .*(too low|lower than)/i, 'SpotMaxPriceTooLow'],
  [/(enough|insufficient) free addresses|free IP addresses/i, 'InsufficientFreeAddressesInSubnet'],
  [
    /vCPU (capacity|limit)|max(imum)? (number of )?(spot )?instance|limit exceeded|more .*instances than your/i,
    'VcpuLimitExceeded',
  ],
  [/not authorized/i, 'UnauthorizedOperation'],
];

/**
 * The code of a message. A group with a mixed instances policy puts the code before the message. A group with
 * a launch template alone omits the code.
 */
function codeIn(text: string): string | undefined {
  const named = /Could not launch (?:Spot|On-Demand) Instances\. ([A-Za-z]+(?:\.[A-Za-z]+)*) - /.exec(text)?.[1];
  const code = named ?? codesByMessage.find(([pattern]) => pattern.test(text))?.[1];
  // A code that is not in the table is less useful than the message: it counts as no meaning.
  return code === undefined || kindOfCode(code, text) === undefined ? undefined : code;
}
