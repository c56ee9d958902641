import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { ExecutionContext } from 'ava';
import {
  isFault,
  systemClock,
  type ReleaseTarget,
  type Launch,
  type LaunchOrder,
  type MachineRef,
  type MachineReport,
  type Observation,
  type Progress,
} from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import { prepared, stage, type Stage } from '../cloud/support.ts';

export type Order = LaunchOrder<any, any>;

/** A cloud whose time stands still, and what the core would do with groups there. */
export interface GroupStage extends Stage {
  order(more?: Partial<LaunchOrder<any, any>>): Promise<Order>;
  launch(order: Order): Promise<Launch>;
  /** What is seen of an order whose launch answered, or will. */
  observe(order: Order, known?: readonly MachineRef[]): Promise<Observation>;
  release(order: Order, aim: Partial<ReleaseTarget>): Promise<Progress>;
  dispose(order: Order): Promise<Progress>;
  /** Says the same again until it is done, time passing. */
  disposed(order: Order): Promise<void>;
  group(order: Order): Promise<AutoScalingGroup | undefined>;
  /** Machines of an order that live. */
  live(order: Order): readonly string[];
  /** More than all that follows from one change takes. */
  minute(): void;
}

export async function openGroups(
  t: ExecutionContext,
  knobs: KnobChange = {},
  config: object = {},
): Promise<GroupStage> {
  const clock = standingClock();
  const time = {
    now: () => clock.now(),
    monotonic: () => clock.now(),
    sleep: systemClock.sleep,
  } as typeof systemClock;
  const cloud = await stage(
    config,
    { clock: time },
    { clock, knobs: { boot_ms: 1_000, shutdown_ms: 1_000, ...knobs } },
  );
  const { simulator, session, call } = cloud;
  t.teardown(cloud.close);
  const handleOf = ({ prepared: { name, unit, weighted } }: Order) => ({ name, unit, weighted });
  const dispose = async (order: Order) =>
    (await asg.dispose?.(session, { order, handle: handleOf(order) }, call)) as Progress;
  return {
    ...cloud,
    order: (more) => prepared(asg, cloud, more),
    launch: (order) => asg.launch(session, order, call),
    async observe(order, known = []) {
      const [seen] = await asg.observe(session, [{ handle: handleOf(order), order, known }], call);
      if (!seen || isFault(seen)) throw seen ?? new Error('Nothing was said.');
      return seen;
    },
    release: (order, aim) => asg.release(session, handleOf(order), { go: [], stay: [], incoming: 0, ...aim }, call),
    dispose,
    async disposed(order) {
      for (let tries = 0; tries < 20; tries += 1) {
        if ((await dispose(order)).done) return;
        simulator.advance(5_000);
      }
      throw new Error('It is never done.');
    },
    async group(order) {
      const names = [order.prepared.name as string];
      const answer = await session.groups.read(
        (sdk) => new sdk.DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: names }),
        call,
      );
      return answer.AutoScalingGroups?.[0];
    },
    live: (order) => [...(simulator.ledger().live[order.request_id] ?? [])].toSorted(),
    minute: () => void simulator.advance(60_000),
  };
}

export const refs = (machines: readonly MachineReport[]): MachineRef[] =>
  machines.map(({ machine_id, status, launched_at, data }) => ({
    machine_id,
    status,
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(data ? { data } : {}),
  }));

export const idsOf = (machines: readonly { readonly machine_id: string }[]): string[] =>
  machines.map((each) => each.machine_id).toSorted();

/** How many there are of each kind. */
export function tally(list: Iterable<string | undefined>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of [...list].toSorted()) counts[one ?? ''] = (counts[one ?? ''] ?? 0) + 1;
  return counts;
}

/** An order of the size whose machines all run, and those machines. */
export async function running(
  stage: GroupStage,
  more: Partial<LaunchOrder<any, any>>,
): Promise<{ order: Order; machines: MachineRef[] }> {
  const order = await stage.order(more);
  await stage.launch(order);
  stage.minute();
  const seen = await stage.observe(order);
  return { order, machines: refs(seen.machines) };
}
