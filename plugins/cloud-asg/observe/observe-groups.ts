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
import { describeGroups, isDeleting, isFull, isPending, isSuspended, membersOf } from './describe-groups.ts';
import { groupShortfall, historyReadAt } from './group-shortfall.ts';
import type { GroupHandle, Prepared } from '../group-handle.ts';
import { isStuck } from './is-stuck.ts';
import { launchProcess, mayStillLaunch, suspendedProcesses, suspend } from '../launch/processes.ts';

type Watch = Watched<GroupHandle>;

/**
 * The longest time for which EC2 may not show a machine that its group lists. Later the machine counts as gone,
 * whatever the group lists.
 */
const memberVisibleMs = 300_000;
/** The longest time for which the cloud may not show a group that was created. */
export const groupVisibleMs = 120_000;

/**
 * Observes groups first, then machines, including those that the groups list. A machine that a group lists and EC2
 * does not show yet is reported. Otherwise the core would order it again.
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
    watched.map((each) => each.handle),
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
    { arriving: watched.some((each, index) => !isAtCapacity(each, groupOf(each), listed[index] ?? [])) },
  );
  const readAt = (each: Watch) => historyReadAt(session, each.handle);
  const inOrder = [...watched.entries()].toSorted(([, a], [, b]) => readAt(a) - readAt(b) || 0);
  const answers = await inTurn(inOrder, async ([index, each]) => {
    const group = groupOf(each);
    const seen = machines[index] as Observation<GroupHandle> | ProviderFault;
    if (isFault(group)) return group;
    // Some machines of the group may be in a zone that does not answer. The group may then be more complete than the
    // answer shows.
    return isFault(seen) || !seen.settled ? seen : observation(session, each, group, seen, call);
  });
  const byIndex = new Map(inOrder.map(([index], place) => [index, answers[place]]));
  return watched.map((_, index) => {
    const answer = byIndex.get(index);
    if (answer?.status === 'fulfilled') return answer.value;
    if (isFault(answer?.reason)) return answer.reason;
    throw answer?.reason;
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
  if (!group) return { ...seen, settled: !session.consistencyGrace.has(absent, groupVisibleMs) };
  session.consistencyGrace.end(absent);
  if (isDeleting(group)) return { ...seen, settled: true };
  await suspendResumed(session, group, call);

  const members = membersOf(group);
  const shown = new Set(seen.machines.map((machine) => machine.machine_id));
  const unseen = unknownMembers(watched, members.filter(isHealthy)).filter(
    ({ machine_id }) =>
      !shown.has(machine_id) && session.consistencyGrace.has(`member ${machine_id}`, memberVisibleMs),
  );
  const short = !isFull(watched.handle, group);
  // The group may report a machine that runs as pending for some more seconds.
  const runs = new Set(seen.machines.flatMap(({ machine_id, status }) => (status === 'running' ? [machine_id] : [])));
  const starting = members.filter((member) => isPending(member) && !runs.has(member.InstanceId ?? ''));
  const settled = isSettled(session, group, starting, short);
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

/** Whether the group has its desired capacity. Its members are then known without a search by tag. */
function isAtCapacity(
  { handle }: Watch,
  group: AutoScalingGroup | ProviderFault | undefined,
  members: readonly Instance[],
): boolean {
  if (group === undefined || isFault(group)) return false;
  return isFull(handle, group) && !members.some(isPending);
}

/** Whether the group starts no more machines: it has its size, or was stopped some time ago. */
function isSettled(
  session: CloudSession,
  group: AutoScalingGroup,
  starting: readonly Instance[],
  short: boolean,
): boolean {
  if (isSuspended(group, launchProcess)) return !mayStillLaunch(session, group.AutoScalingGroupName ?? '');
  return !short && !starting.some(isHealthy);
}

/** Members that the core does not know. The group reports only their existence, type and zone. */
function unknownMembers({ known, order }: Watch, members: readonly Instance[]): MachineRef[] {
  const ids = new Set(known.map((machine) => machine.machine_id));
  return members.flatMap((member) => {
    const { InstanceId, InstanceType, AvailabilityZone } = member;
    if (!InstanceId || ids.has(InstanceId)) return [];
    const status = isPending(member) ? 'pending' : 'running';
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

const isHealthy = ({ HealthStatus }: Instance): boolean => HealthStatus === 'Healthy';

/**
 * Suspends processes that were resumed: the group would terminate machines again. This call needs no claim: a
 * suspension is permanent and correct at any time.
 */
async function suspendResumed(session: CloudSession, group: AutoScalingGroup, call: Call): Promise<void> {
  await suspend(session, group.AutoScalingGroupName ?? '', suspendedProcesses, call, group).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    call.log.warn({ group: group.AutoScalingGroupName, code: error.code }, error.message);
  });
}
