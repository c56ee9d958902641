import type { Activity, AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { isFault, type Call, type FaultKind, type Shortfall, type Watched } from '../../../core/index.ts';
import {
  concealedReasons,
  kindOfCode,
  kindOfReason,
  type CloudSession,
  type Market,
  type Pool,
} from '../../cloud/index.ts';
import type { GroupHandle, Prepared } from '../group-handle.ts';

/**
 * All actions of Auto Scaling share one small bucket: the history of a group that stays short is not read at every
 * look.
 */
const everyMs = 2_000;
const newest = 100;

/**
 * Why a group stays short, by pool. It tells so only in its history: a place, and a sentence without a code. What
 * fails in one subnet fails in all pools there; what fails in a zone of a group without subnets counts once it has
 * failed in all of its zones. /
 */
export async function groupShortfall(
  session: CloudSession,
  { handle, order }: Watched<GroupHandle>,
  group: AutoScalingGroup,
  call: Call,
): Promise<Shortfall[]> {
  const key = `history of ${handle.name}`;
  if (session.consistencyGrace.has(key, everyMs)) return [];
  session.consistencyGrace.over(key);
  session.consistencyGrace.has(key, everyMs);
  try {
    const { Activities } = await session.groups.read(
      (sdk) => new sdk.DescribeScalingActivitiesCommand({ AutoScalingGroupName: handle.name, MaxRecords: newest }),
      call,
    );
    const { pools } = order.prepared as Prepared;
    return concealedReasons(
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
  readonly kind: FaultKind;
  readonly code: string;
  readonly message: string;
}

/** Pure. */
export function shortfallOf(
  activities: readonly Activity[],
  pools: readonly Pool[],
  zones: readonly string[],
): Shortfall[] {
  const failures = activities.flatMap((activity) => failureOf(activity) ?? []);
  const found = pools.flatMap((pool) => {
    const here = failures.filter((failure) => concerns(failure, pool));
    // A subnet is in one zone; without subnets the group goes on to its next zone by itself.
    const reached =
      pool.subnet_id !== undefined ||
      zones.every((zone) => here.some((each) => each.zone === undefined || each.zone === zone));
    const [last] = here;
    if (!last || !reached) return [];
    return [{ offer: pool.key, kind: last.kind, code: last.code, message: last.message }];
  });
  return found;
}

const concerns = ({ subnet_id, market }: Failure, pool: Pool): boolean =>
  (market === undefined || market === pool.market) &&
  (subnet_id === undefined || pool.subnet_id === undefined || subnet_id === pool.subnet_id);

function failureOf({ StatusCode, StatusMessage, Details }: Activity): Failure | undefined {
  if (StatusCode !== 'Failed' && StatusCode !== 'Cancelled') return undefined;
  const said = (StatusMessage ?? '').replace(/\s*Launching EC2 instance failed\.?\s*$/, '').replace(/[.\s]+$/, '');
  const meant = meaningOf(said);
  // A launch that was called off was called off by somebody; only a reason that is known tells that it was the cloud.
  if (!meant && StatusCode === 'Cancelled') return undefined;
  const { kind, code } = meant ?? { kind: 'unavailable' as const, code: 'LaunchFailed' };
  // Of Spot they always say so; of nothing else.
  const market = /\bspot\b/i.test(said)
    ? 'spot'
    : meant?.kind === 'capacity' || /on-demand/i.test(said)
      ? 'on-demand'
      : undefined;
  const place = placeOf(Details);
  return {
    ...place,
    market,
    kind,
    code,
    message: `CreateAutoScalingGroup: ${said || 'The cloud gave no reason'}. Error Code: ${code}`,
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

/** Sentences of EC2 that come without their code. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/spread placement group/i, 'VcpuLimitExceeded'],
  [
    /sufficient .*capacity|no Spot capacity|capacity is not available|unable to fulfill capacity/i,
    'InsufficientInstanceCapacity',
  ],
  [/not supported in your requested Availability Zone/i, 'Unsupported'],
  [/spot .*price|price .*(too low|lower than)/i, 'SpotMaxPriceTooLow'],
  [/(enough|insufficient) free addresses|free IP addresses/i, 'InsufficientFreeAddressesInSubnet'],
  [
    /vCPU (capacity|limit)|max(imum)? (number of )?(spot )?instance|limit exceeded|more .*instances than your/i,
    'VcpuLimitExceeded',
  ],
  [/not authorized/i, 'UnauthorizedOperation'],
];

/**
 * A group that is a fleet inside puts the code before the sentence; one with a launch template alone leaves it out.
 */
function meaningOf(said: string): { kind: FaultKind; code: string } | undefined {
  const named = /Could not launch (?:Spot|On-Demand) Instances\. ([A-Za-z]+(?:\.[A-Za-z]+)*) - /.exec(said)?.[1];
  const code = named ?? sentences.find(([pattern]) => pattern.test(said))?.[1];
  // A code that the table does not know says less than the sentence; it counts as no meaning.
  if (code === undefined || kindOfCode(code, said) === undefined) return undefined;
  return { kind: kindOfReason(code, said), code };
}
