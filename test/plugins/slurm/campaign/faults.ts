import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import { arm, disarm, isProgramArmed } from '../real/armed.ts';
import type { Cluster } from '../real/cluster.ts';
import { cutPower, type Machine } from '../real/machines.ts';
import { staging } from '../real/staging.ts';
import type { Fault } from './plan.ts';

/** What the parts of a play share. */
export interface Stage {
  readonly cluster: Cluster;
  /** Writes down what happens. */
  note(text: string): void;
  /** The play is over: a fault that was not met is not waited for. */
  readonly over: AbortSignal;
  /** One broker, and one slurmctld, is killed and started at a time. */
  readonly brokers: LimitFunction;
  readonly controllers: LimitFunction;
}

/** The command of the machines: one boots without slurmd when a file of its node says so. */
export const machineCommand = (directory: string): string =>
  `sleep 2; mv '${directory}/no-boot-'"$MUSTER_MACHINE_NAME" '${directory}/no-boot.met' 2>/dev/null && exec sleep 1000; ` +
  'exec slurmd -N "$MUSTER_MACHINE_NAME" -b -D';

const noBootFile = ({ directory }: Cluster, node: string): string => join(directory, `no-boot-${node}`);

/** Lets a fault happen. Resolves when it is over: what was killed runs again. */
export async function inflict(stage: Stage, fault: Fault): Promise<void> {
  const { cluster, note, brokers, controllers } = stage;
  const { directory } = cluster;
  switch (fault.do) {
    case 'kill-broker':
      return brokers(async () => {
        note('the broker is killed');
        if (cluster.isBrokerAlive) await cluster.killBroker();
        await restart(stage, fault.down);
      });
    case 'kill-broker-at-commit': {
      const { thread, nth, phase } = fault.point;
      return brokers(() =>
        killArmed(stage, fault.down, `${phase} commit ${nth} of ${thread}`, () => arm.commit(directory, fault.point)),
      );
    }
    case 'kill-broker-at-scontrol':
      return brokers(() =>
        killArmed(stage, fault.down, `${fault.phase} scontrol update`, () => arm.scontrol(directory, fault.phase)),
      );
    case 'kill-slurmctld':
      return controllers(async () => {
        note('slurmctld is killed');
        await cluster.killSlurmctld();
        await sleep(fault.down);
        await cluster.startSlurmctld();
        note('slurmctld runs again');
      });
    case 'reconfigure':
      return controllers(async () => {
        note('slurmctld reads slurm.conf again');
        await cluster.slurm('scontrol', 'reconfigure').catch((error: unknown) => note(`refused: ${String(error)}`));
      });
    case 'kill-machine': {
      const machine = await someMachine(stage, fault.nth);
      if (!machine) return;
      note(`the machine of ${machine.node} dies`);
      return cutPower(machine, cluster.directory);
    }
    case 'reclaim': {
      const machine = await someMachine(stage, fault.nth);
      if (!machine) return;
      note(`the cloud announces the end of the machine of ${machine.node}`);
      const at = new Date(Date.now() + fault.warning).toISOString();
      staging.reclaim(machine.directory, machine.machine_id, at);
      await sleep(fault.warning);
      note(`the cloud ends the machine of ${machine.node}`);
      return cutPower(machine, cluster.directory);
    }
    case 'no-boot': {
      writeFileSync(noBootFile(cluster, fault.node), '');
      await until(stage, () => !existsSync(noBootFile(cluster, fault.node)));
      note(existsSync(noBootFile(cluster, fault.node)) ? `${fault.node} was not booted` : `${fault.node} never boots`);
      return rmSync(noBootFile(cluster, fault.node), { force: true });
    }
    case 'no-capacity': {
      note(`${fault.set} has no more than ${fault.most} machines`);
      staging.capacity(cluster.processesOf(fault.set), fault.most);
      await sleep(fault.during);
      note(`${fault.set} has machines again`);
      return staging.capacity(cluster.processesOf(fault.set), undefined);
    }
    case 'call': {
      if (fault.nodes.length === 0) return;
      const nodes = fault.nodes.join(',');
      note(`${fault.verb} ${nodes}, ${fault.times} times`);
      const program = join(directory, 'programs', `${fault.verb}.whole`);
      // Its exit code says that the broker was away.
      await Promise.allSettled(Array.from({ length: fault.times }, () => cluster.slurm(program, nodes)));
      return note(`${fault.verb} ${nodes} answered`);
    }
    case 'kill-program': {
      arm.program(directory, fault.after);
      await until(stage, () => !isProgramArmed(directory));
      return note(isProgramArmed(directory) ? 'no program was called' : `a program is killed after ${fault.after} ms`);
    }
    case 'power-up':
    case 'power-down': {
      note(`a person says ${fault.do} ${fault.node}`);
      const state = fault.do === 'power-up' ? 'power_up' : 'power_down_force';
      await cluster
        .slurm('scontrol', 'update', `nodename=${fault.node}`, `state=${state}`)
        .catch((error: unknown) => note(`refused: ${String(error)}`));
    }
  }
}

/** Waits until the play is over at the latest. */
async function until({ over }: Stage, isSo: () => boolean): Promise<void> {
  while (!over.aborted && !isSo()) await sleep(50);
}

async function killArmed(stage: Stage, down: number, where: string, setUp: () => void): Promise<void> {
  const { cluster, note } = stage;
  if (!cluster.isBrokerAlive) await cluster.startBroker();
  setUp();
  await until(stage, () => !cluster.isBrokerAlive);
  disarm(cluster.directory);
  // It may have died between both.
  await sleep(100);
  if (cluster.isBrokerAlive) return note(`the broker did not come to ${where}`);
  note(`the broker died ${where}`);
  await restart(stage, down);
}

async function restart({ cluster, note }: Stage, down: number): Promise<void> {
  await sleep(down);
  await cluster.startBroker();
  note('the broker runs again');
}

/** The n-th living machine, of at least one. Undefined: none came. */
async function someMachine(stage: Stage, nth: number): Promise<Machine | undefined> {
  const named = () => stage.cluster.machines().filter(({ node }) => node !== '');
  await until(stage, () => named().length > 0);
  const all = named().toSorted((one, other) => (one.node < other.node ? -1 : 1));
  return all[nth % Math.max(1, all.length)];
}
