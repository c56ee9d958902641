import type { Clock } from '../../contract/clock.ts';
import {
  machineKey,
  machineStatuses,
  type MachineKey,
  type MachineRecord,
  type MachineStatus,
} from '../../model/machine.ts';
import type { Reclaimed } from '../../contract/scheduler.ts';
import type { HostRef } from '../../contract/provider/resources.ts';
import type { Query, Store } from '../../contract/storage.ts';
import { isHeld, leaseEnd } from '../../model/leases/lease.ts';
import { inOrder } from './machine-order.ts';
import { machinesNamed, machinesWith, meant, type MachineName } from './machines-named.ts';
import { UnknownHosts } from './unknown-hosts.ts';

const machinesAtOnce = 10_000;

/** The machines for the hosts that a caller names, and the hosts that no request knows. */
export interface Hosts {
  readonly machines: readonly MachineRecord[];
  readonly unknown: readonly HostRef[];
}

/** Reads machines of all requests. Never calls a provider. */
export class Inventory {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #unknownHosts: UnknownHosts;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unknownHosts = new UnknownHosts(store, clock);
  }

  /** The machine with this name, found as in `machinesNamed`. */
  async get(name: MachineName): Promise<MachineRecord> {
    const [machine] = await machinesNamed(this.#store, [name]);
    if (machine) return machine;
    throw new Error('A name without a machine was not refused.');
  }

  async list(
    query: Query<'machine'>,
  ): Promise<{ readonly items: readonly MachineRecord[]; readonly total_count: number }> {
    const [items, total_count] = await Promise.all([
      this.#store.find('machine', query),
      this.#store.count('machine', query.where ?? {}),
    ]);
    return { items, total_count };
  }

  /** All living machines that no caller returned yet, and how many of them are held and left out. */
  async living(): Promise<{ readonly machines: readonly MachineKey[]; readonly held: number }> {
    const now = this.#clock.now();
    let held = 0;
    const keys: MachineKey[] = [];
    for (let offset = 0; ; offset += machinesAtOnce) {
      const page = await this.#store.find('machine', { where: { gone_at: null }, limit: machinesAtOnce, offset });
      for (const machine of page) {
        const { provider_instance, machine_id, going } = machine;
        if (going !== undefined) continue;
        if (isHeld(machine, now)) held += 1;
        else keys.push({ provider_instance, machine_id });
      }
      if (page.length < machinesAtOnce) return { machines: keys, held };
    }
  }

  /** How many machines of a template live. */
  alive(template_id: string): Promise<number> {
    return this.#store.count('machine', { template_id, gone_at: null });
  }

  /** The number of machines in each state. */
  async counts(): Promise<Readonly<Record<MachineStatus, number>>> {
    const counted = await Promise.all(
      machineStatuses.map(async (status) => [status, await this.#store.count('machine', { status })] as const),
    );
    return Object.fromEntries(counted) as Record<MachineStatus, number>;
  }

  /**
   * The named hosts, by id or host name, that a cloud reclaims or reclaimed, or whose lease ends or ended. Hosts that
   * a caller returned are not among them. For unknown hosts the loop is triggered to ask the provider, at `instance` or
   * at all instances; the next call returns those that are gone.
   */
  async reclaimed(
    machine_ids: readonly string[],
    names: readonly string[],
    instance?: string,
  ): Promise<readonly Reclaimed[]> {
    const { machines, unknown } = await this.hosts(machine_ids, names);
    const now = this.#clock.now();
    const gone = await this.#unknownHosts.gone(unknown, instance);
    return [
      ...machines.flatMap((machine) => reclaimOf(machine, now) ?? []),
      ...gone.map(({ machine_id = '', name }) => ({
        machine_id,
        ...(name === undefined ? {} : { name }),
        reason: 'It is unknown, and the provider does not have it.',
        grace_period_s: 0,
      })),
    ];
  }

  /**
   * The machines with these ids and host names, each once, and the hosts that no request knows. When several machines
   * live under one name, all of them.
   */
  async hosts(machine_ids: readonly string[], names: readonly string[]): Promise<Hosts> {
    const [byId, byName] = await Promise.all([this.#named('machine_id', machine_ids), this.#named('name', names)]);
    const unique = new Map(
      [...byId.values(), ...byName.values()].flat().map((machine) => [machineKey(machine), machine]),
    );
    return {
      machines: inOrder(unique.values()),
      unknown: [
        ...[...new Set(machine_ids)].flatMap((machine_id) => (byId.has(machine_id) ? [] : [{ machine_id }])),
        ...[...new Set(names)].flatMap((name) => (byName.has(name) ? [] : [{ name }])),
      ],
    };
  }

  async #named(
    field: 'machine_id' | 'name',
    values: readonly string[],
  ): Promise<ReadonlyMap<string, readonly MachineRecord[]>> {
    const groups = Map.groupBy(await machinesWith(this.#store, field, values), (machine) => String(machine[field]));
    return new Map([...groups].map(([value, machines]) => [value, meant(machines)]));
  }
}

/**
 * A recommendation names no time. An hour from it on is assumed, and never less than the two minutes between a
 * warning and the end of a machine.
 */
const rebalanceGraceS = 3_600;
const leastGraceS = 120;

const secondsUntil = (time: string, now: number): number => Math.floor((Date.parse(time) - now) / 1000);

const reclaimLeft = (reclaim_at: string | undefined, now: number): number =>
  reclaim_at === undefined ? Infinity : secondsUntil(reclaim_at, now);

function reclaimOf(machine: MachineRecord, now: number): Reclaimed | undefined {
  const { machine_id, name, lost, going, status, message, reclaim_at, rebalance_at, replace_from } = machine;
  const named = { machine_id, ...(name === undefined ? {} : { name }) };
  if (lost === true) return { ...named, reason: message ?? `It is ${status}.`, grace_period_s: 0 };
  const { replaced_by, release_at = now, return_id, expired_at } = machine;
  // The caller does not know that the broker returned the machine.
  if (expired_at !== undefined) return { ...named, reason: 'Its lease ended.', grace_period_s: 0 };
  if (replaced_by !== undefined && (going === undefined || going === 'replaced') && return_id === undefined) {
    const left = going === 'replaced' ? 0 : Math.ceil((release_at - now) / 1000);
    const reason = `Machine ${replaced_by.machine_id} replaces it.`;
    return { ...named, reason, grace_period_s: Math.max(0, Math.min(left, reclaimLeft(reclaim_at, now))) };
  }
  // A machine that a caller returned, or that was never delivered, is not reported as reclaimed.
  if (going !== undefined) return undefined;
  if (status === 'shutting-down' || status === 'stopping' || status === 'stopped' || status === 'terminated')
    return { ...named, reason: message ?? `It is ${status}.`, grace_period_s: 0 };
  if (machine.expiry_told) {
    const left = Math.ceil((leaseEnd(machine) - now) / 1000);
    return {
      ...named,
      reason: 'Its lease ends.',
      grace_period_s: Math.max(0, Math.min(left, reclaimLeft(reclaim_at, now))),
    };
  }
  // While a replacement is sought, the machine is used.
  if (reclaim_at === undefined && replace_from !== undefined) return undefined;
  if (reclaim_at === undefined && rebalance_at !== undefined) {
    const grace_period_s = Math.max(leastGraceS, secondsUntil(rebalance_at, now) + rebalanceGraceS);
    return { ...named, reason: 'The cloud recommends to replace it, because it may reclaim it.', grace_period_s };
  }
  if (reclaim_at === undefined) return undefined;
  return { ...named, reason: 'The cloud reclaims it.', grace_period_s: Math.max(0, reclaimLeft(reclaim_at, now)) };
}
