import { chunks, isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import type { AutoScalingGroup, DescribeAutoScalingGroupsCommandInput, Instance } from '@aws-sdk/client-auto-scaling';
import { inTurn, pagesOf, type CloudSession } from '../../cloud/index.ts';

/** The limits of one call: names, and groups on a page. */
const namesPerCall = 50;
const groupsPerPage = 100;

/**
 * Describes groups by name, in as few calls as possible. Names that the cloud does not show are missing from the
 * result. Names whose call failed have the fault.
 */
export async function describeGroups(
  session: CloudSession,
  names: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, AutoScalingGroup | ProviderFault>> {
  const found = new Map<string, AutoScalingGroup | ProviderFault>();
  const asked = [...new Set(names)];
  const packs = chunks(asked, namesPerCall);
  const answers = await inTurn(packs, (pack) => page(session, pack, call));
  answers.forEach((answer, index) => {
    if (answer.status === 'fulfilled') {
      for (const group of answer.value) found.set(group.AutoScalingGroupName ?? '', group);
      return;
    }
    if (!isFault(answer.reason)) throw answer.reason;
    for (const name of packs[index] ?? []) found.set(name, answer.reason);
  });
  return found;
}

/** Describes one group. Undefined: the cloud shows none of that name. */
export async function describeGroup(
  session: CloudSession,
  name: string,
  call: Call,
): Promise<AutoScalingGroup | undefined> {
  const [group] = await page(session, [name], call);
  return group;
}

async function page(session: CloudSession, names: readonly string[], call: Call): Promise<AutoScalingGroup[]> {
  return Array.fromAsync(pagesOfGroups(session, { AutoScalingGroupNames: [...names] }, call));
}

/** Describes groups by names or filters, page by page. */
export async function* pagesOfGroups(
  session: CloudSession,
  asked: Pick<DescribeAutoScalingGroupsCommandInput, 'AutoScalingGroupNames' | 'Filters'>,
  call: Call,
): AsyncGenerator<AutoScalingGroup> {
  for await (const page of pagesOf((next) =>
    session.groups.read(
      (sdk) => new sdk.DescribeAutoScalingGroupsCommand({ ...asked, MaxRecords: groupsPerPage, ...next }),
      call,
    ),
  )) {
    yield* page.AutoScalingGroups ?? [];
  }
}

/**
 * Whether the deletion of the group was requested. The cloud shows the group until its last machine is gone; it starts
 * and changes nothing any more.
 */
export const isDeleting = ({ Status }: AutoScalingGroup): boolean => Status !== undefined && Status !== '';

export const isSuspended = ({ SuspendedProcesses }: AutoScalingGroup, process: string): boolean =>
  SuspendedProcesses?.some(({ ProcessName }) => ProcessName === process) ?? false;

/**
 * Members that count toward the size of the group: not those that are being terminated or detached, or are in a warm
 * pool.
 */
export const membersOf = ({ Instances }: AutoScalingGroup): readonly Instance[] =>
  (Instances ?? []).filter(({ LifecycleState }) => !/^(Terminat|Detach|Warmed)/.test(LifecycleState ?? ''));

/** Whether a member is not in service yet. */
export const isPending = ({ LifecycleState }: Pick<Instance, 'LifecycleState'>): boolean =>
  LifecycleState?.startsWith('Pending') === true;
