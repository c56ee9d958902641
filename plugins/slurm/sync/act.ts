import type { ServiceAccess, ServiceRecordChange } from '../../../core/index.ts';
import type { Controller } from '../controller/controller.ts';
import { nodeKey, restKey, type NodeState } from '../nodes/records.ts';
import { switchOff } from '../nodes/switch-on.ts';
import { order } from '../nodes/order.ts';
import { releaseNow } from '../nodes/release-now.ts';
import type { SlurmSettings } from '../settings.ts';
import { phaseOf } from '../controller/parse-nodes.ts';
import { throwRefusals } from '../controller/throw-refusals.ts';
import { ownReason, type Compared, type Decided, type NodeAction } from './decide.ts';

type Access = ServiceAccess<SlurmSettings>;
type Of<D extends NodeAction['do']> = { readonly name: string; readonly action: Extract<NodeAction, { do: D }> };

const those = <D extends NodeAction['do']>(all: readonly Decided[], what: D): Of<D>[] =>
  all.filter(({ action }) => action.do === what) as unknown as Of<D>[];

/**
 * Carries out what a comparison demands. muster's records are written before Slurm is told: a broker that ends in
 * between is followed by the next comparison. What scontrol refuses for some nodes costs the others nothing: it is
 * thrown at the end.
 */
export async function act(
  access: Access,
  controller: Controller,
  from: Compared,
  due: readonly Decided[],
): Promise<void> {
  const { records, settings, log } = access;
  const refused: unknown[] = [];
  const setState: Controller['setState'] = (...given) =>
    controller.setState(...given).catch((error: unknown) => void refused.push(error));
  for (const { name, action, why } of due)
    if (action.do !== 'joined' && action.do !== 'keep')
      log.info({ node: name, do: action.do }, `Slurm node ${name}: ${why}.`);

  await commitJoined(
    access,
    from,
    those(due, 'joined').map(({ name }) => name),
  );
  const downs = those(due, 'power-down');
  const wrong = those(due, 'set-down');
  const off = [...those(due, 'switch-off'), ...downs, ...wrong].map(({ name }) => name);
  for (const commit of switchOff(from.records, settings.cluster, off, from.now)) await records.commit(commit);
  // At once: until the next comparison their slurmd may register, and get jobs.
  await releaseNow(access, new Set(those(due, 'switch-off').map(({ name }) => name)));

  const resting = await rest(access, from, downs);
  // Nodes of a set without capacity go DOWN first, so that the requeued jobs get nodes of another set.
  for (const [reason, names] of byReason(those(due, 'keep-down'))) await setState(names, 'down', reason);
  for (const [set, reason] of resting) {
    const idle = [...from.slurm.values()].filter(
      (node) => from.setOf.get(node.name) === set && phaseOf(node) === 'off' && node.base !== 'DOWN',
    );
    if (idle.length > 0)
      await setState(
        idle.map(({ name }) => name),
        'down',
        reason,
      );
  }
  for (const [reason, names] of byReason(downs)) await setState(names, 'power_down_force', reason);
  for (const [reason, names] of byReason(wrong)) await setState(names, 'down', reason);
  await restartJobs(access, controller, from, downs, resting);

  const back = those(due, 'resume').map(({ name }) => name);
  if (back.length > 0) await setState(back, 'resume');
  const silent = those(due, 'power-off-again').map(({ name }) => name);
  // Not by force: a job that got a node meanwhile keeps it.
  if (silent.length > 0) await setState(silent, 'power_down');
  const missing = those(due, 'order').map(({ name }) => name);
  if (missing.length > 0) await order(access, missing, []);
  throwRefusals(refused);
}

async function commitJoined(
  { records, settings }: Access,
  { records: known, now }: Compared,
  names: readonly string[],
) {
  const changes = names.flatMap((name): ServiceRecordChange[] => {
    const kept = known.nodes.get(name);
    if (!kept) return [];
    const value: NodeState = { ...kept.value, joined_at: now };
    return [{ key: nodeKey(settings.cluster, name), version: kept.version, value }];
  });
  for (let at = 0; at < changes.length; at += 90) await records.commit(changes.slice(at, at + 90));
}

/** Stores that sets lacked capacity. Returns those sets, with the reason for their nodes. */
async function rest(
  { records, settings }: Access,
  { records: known, now }: Compared,
  downs: readonly Of<'power-down'>[],
) {
  const sets = new Map(
    downs.flatMap(({ action }) => (action.lacked ? [[action.lacked.set, action.reason] as const] : [])),
  );
  for (const [set, reason] of sets) {
    const version = known.rests.get(set)?.version ?? 0;
    const value = { until: now + settings.rest_s * 1000, reason };
    await records.commit([{ key: restKey(settings.cluster, set), version, value }]);
  }
  return sets;
}

const byReason = (all: readonly { readonly name: string; readonly action: { readonly reason: string } }[]) =>
  [...Map.groupBy(all, ({ action }) => action.reason || ownReason)].map(
    ([reason, group]) => [reason, group.map(({ name }) => name)] as const,
  );

/** Jobs whose nodes do not come start elsewhere at once if another set is open; else Slurm's own pause is right. */
async function restartJobs(
  { settings, log }: Access,
  controller: Controller,
  { records: known, now }: Compared,
  downs: readonly Of<'power-down'>[],
  resting: ReadonlyMap<number, string>,
): Promise<void> {
  const isOpen = settings.node_sets.some(
    (_, set) => !resting.has(set) && (known.rests.get(set)?.value.until ?? 0) <= now,
  );
  const jobs = new Set(downs.flatMap(({ action }) => action.lacked?.job ?? []));
  if (!isOpen) return;
  for (const job of jobs)
    await controller
      .startNow(job)
      .catch((error: unknown) => log.info({ job, err: error }, `Job ${job} waits for Slurm's own pause.`));
}
