import { capacityOf, type Group, type GroupMember, stayingMembers } from '../state/groups.ts';
import { onDemandPart, readDistribution } from './launch/market-shares.ts';
import { countByZone, loadOf } from './launch/places.ts';

/**
 * Chooses the machines that end when a group exceeds its desired capacity: in the zone with the most machines, the
 * oldest machine of the market that has too many (with the termination policy `NewestInstance` the newest), until no
 * machine can end without falling below `desired`. Only machines that `mayEnd` are chosen. Machines whose end is still
 * unnoticed are chosen like live ones.
 */
export function chooseForScaleIn(
  group: Group,
  desired: number,
  mayEnd: (member: GroupMember) => boolean,
): GroupMember[] {
  const chosen: GroupMember[] = [];
  const counts = countByZone(group);
  const staying = stayingMembers(group);
  const { policy } = group.config.source;
  const onDemandWanted = policy === undefined ? undefined : onDemandPart(readDistribution(policy), desired);
  let onDemand = staying
    .filter((member) => marketOf(member) === 'on-demand')
    .reduce((sum, member) => sum + member.weight, 0);
  let excess = capacityOf(group) - desired;

  // Members are in order of launch. A machine that is too heavy once stays too heavy, because the excess only falls.
  const newestFirst = group.config.terminationPolicies[0] === 'NewestInstance';
  const inOrder = staying.filter(mayEnd);
  const free = newestFirst ? inOrder.toReversed() : inOrder;
  const queues = [...Map.groupBy(free, (member) => `${member.instance.zone}/${marketOf(member)}`).values()].map(
    (list) => list.values(),
  );
  const heads = queues.map((queue) => queue.next().value);
  for (;;) {
    for (const [index, queue] of queues.entries()) {
      while ((heads[index]?.weight ?? 0) > excess) heads[index] = queue.next().value;
    }
    const tooMany = onDemandWanted !== undefined && onDemand > onDemandWanted ? 'on-demand' : 'spot';
    const load = (member: GroupMember) => loadOf(group, member.instance.zone, counts.get(member.instance.zone) ?? 0);
    const order = (a: GroupMember, b: GroupMember) =>
      load(b) - load(a) ||
      Number(marketOf(b) === tooMany) - Number(marketOf(a) === tooMany) ||
      (a.instance.place - b.instance.place) * (newestFirst ? -1 : 1);
    const first = heads.filter((head) => head !== undefined).toSorted(order)[0];
    if (first === undefined) return chosen;

    chosen.push(first);
    heads[heads.indexOf(first)] = queues[heads.indexOf(first)]?.next().value;
    if (marketOf(first) === 'on-demand') onDemand -= first.weight;
    counts.set(first.instance.zone, (counts.get(first.instance.zone) ?? 0) - 1);
    excess -= first.weight;
  }
}

function marketOf(member: GroupMember): string {
  return member.instance.reservation.spec.market;
}
