import type { AutoScalingGroup, Instance } from '@aws-sdk/client-auto-scaling';
import {
  isFault,
  type Call,
  type MachineRef,
  type MachineReport,
  type Observation,
  type ProviderFault,
  type Watched,
} from '../../../core/index.ts';
import {
  inTurn,
  observeKnown,
  observeMachines,
  weightOf,
  type CloudSession,
  type CloudTemplate,
} from '../../cloud/index.ts';
import { describeGroups, isDeleting, isSuspended, membersOf } from './describe-groups.ts';
import { groupShortfall } from './group-shortfall.ts';
import type { GroupHandle, Prepared } from '../group-handle.ts';
import { isStuck } from './is-stuck.ts';
import { growth, mayBeOnTheirWay, quiet, suspend } from '../launch/processes.ts';
import { unitsOf } from '../launch/units.ts';

type Watch = Watched<GroupHandle>;

/**
 * So long EC2 may not show a machine that its group counts. One that it shows no more is gone, whatever the group
 * says.
 */
const unseenMs = 300_000;
/** So long a group that was made is awaited, when it is not shown. */
export const notShownMs = 120_000;

/**
 * Observes groups first, then machines, those among them that the groups list: what a group counts, and EC2 does not
 * show yet, is a machine all the same, or the next order would ask for it again. /
 */
export const observeGroups = (
  session: CloudSession,
  watched: readonly Watch[],
  call: Call,
): Promise<readonly (Observation<GroupHandle> | ProviderFault)[]> =>
  observeKnown(session, watched, call, (others) => observeWhole(session, others, call));

async function observeWhole(
  session: CloudSession,
  watched: readonly Watch[],
  call: Call,
): Promise<(Observation<GroupHandle> | ProviderFault)[]> {
  const groups = await describeGroups(
    session,
    watched.map((each) => each.handle.name),
    call,
  );
  const groupOf = (each: Watch) => groups.get(each.handle.name);
  const listed = watched.map((each) => {
    const group = groupOf(each);
    return group === undefined || isFault(group) ? [] : membersOf(group);
  });
  const machines = await observeMachines(
    session,
    watched.map((each, index) => ({ ...each, known: [...each.known, ...unknownMembers(each, listed[index] ?? [])] })),
    call,
    { arriving: watched.some((each, index) => !isWhole(each, groupOf(each), listed[index] ?? [])) },
  );
  const answers = await inTurn([...watched.entries()], async ([index, each]) => {
    const group = groupOf(each);
    const seen = machines[index] as Observation<GroupHandle> | ProviderFault;
    if (isFault(group)) return group;
    // Where some of its machines may be where nobody answers, what is seen says nothing of how whole the group is.
    return isFault(seen) || !seen.settled ? seen : observation(session, each, group, seen, call);
  });
  return answers.map((answer) => {
    if (answer.status === 'fulfilled') return answer.value;
    if (isFault(answer.reason)) return answer.reason;
    throw answer.reason;
  });
}

async function observation(
  session: CloudSession,
  watched: Watch,
  group: AutoScalingGroup | undefined,
  seen: Observation<GroupHandle>,
  call: Call,
): Promise<Observation<GroupHandle>> {
  const { name } = watched.handle;
  const absent = `group ${name}`;
  if (!group) return { ...seen, settled: !session.consistencyGrace.has(absent, notShownMs) };
  session.consistencyGrace.over(absent);
  if (isDeleting(group)) return { ...seen, settled: true };
  await repair(session, group, call);

  const members = membersOf(group);
  const shown = new Set(seen.machines.map((machine) => machine.machine_id));
  const unseen = unknownMembers(watched, members.filter(isHealthy)).filter(
    ({ machine_id }) => !shown.has(machine_id) && session.consistencyGrace.has(`member ${machine_id}`, unseenMs),
  );
  const short = unitsOf(watched.handle, members) < (group.DesiredCapacity ?? 0);
  const settled = isSettled(session, group, members, short);
  const reasons = short && !settled ? await groupShortfall(session, watched, group, call) : [];
  const shortfall = [...(seen.shortfall ?? []), ...reasons];
  const stuck = !settled && isStuck(watched.order.prepared as Prepared, seen.machines, reasons);
  return {
    machines: [
      ...seen.machines,
      ...unseen.map((machine): MachineReport => ({ ...machine, status: 'pending', ready: false })),
    ],
    settled,
    ...(shortfall.length === 0 ? {} : { shortfall }),
    ...(stuck ? { stuck } : {}),
  };
}

/** All that the group wants is there: who its machines are is known without asking for their tags. */
function isWhole(
  { handle }: Watch,
  group: AutoScalingGroup | ProviderFault | undefined,
  members: readonly Instance[],
): boolean {
  if (group === undefined || isFault(group)) return false;
  return unitsOf(handle, members) >= (group.DesiredCapacity ?? 0) && !members.some(isComing);
}

/** Nothing more comes by itself: the group is as large as it shall be, or was told to stop a while ago. */
function isSettled(
  session: CloudSession,
  group: AutoScalingGroup,
  members: readonly Instance[],
  short: boolean,
): boolean {
  if (isSuspended(group, growth)) return !mayBeOnTheirWay(session, group.AutoScalingGroupName ?? '');
  return !short && members.every((member) => !isComing(member) || !isHealthy(member));
}

/** Members that the core does not know. The group says of them no more than that they are there. */
function unknownMembers({ known, order }: Watch, members: readonly Instance[]): MachineRef[] {
  const ids = new Set(known.map((machine) => machine.machine_id));
  return members.flatMap((member) => {
    const { InstanceId, InstanceType, AvailabilityZone } = member;
    if (!InstanceId || ids.has(InstanceId)) return [];
    const status = isComing(member) ? 'pending' : 'running';
    const weight = weightOf(order.template as CloudTemplate, InstanceType);
    const place = AvailabilityZone ? { zone: AvailabilityZone } : {};
    const data = {
      ...place,
      ...(InstanceType ? { machine_type: InstanceType } : {}),
      weight,
    };
    return [{ machine_id: InstanceId, status, ...place, data }];
  });
}

const isComing = ({ LifecycleState }: Instance): boolean => LifecycleState?.startsWith('Pending') === true;

const isHealthy = ({ HealthStatus }: Instance): boolean => HealthStatus === 'Healthy';

/**
 * A group that somebody resumed would take machines away again. This is allowed without a claim: it is for good, and
 * right at any time.
 */
async function repair(session: CloudSession, group: AutoScalingGroup, call: Call): Promise<void> {
  await suspend(session, group.AutoScalingGroupName ?? '', quiet, call, group).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    call.log.warn({ group: group.AutoScalingGroupName, code: error.code }, error.message);
  });
}
