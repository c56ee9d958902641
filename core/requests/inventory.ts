import type { Clock } from '../clock.ts';
import { BrokerError } from '../errors.ts';
import { machineKey, machineStatuses, type MachineRecord, type MachineStatus } from '../model/machine.ts';
import type { Reclaimed } from '../scheduler.ts';
import type { HostRef } from '../provider.ts';
import type { Query, Store } from '../storage.ts';
import { inOrder } from './machine-order.ts';
import { Strangers } from './strangers.ts';

/** A storage bounds how many values one comparison may list. */
const valuesAtOnce = 500;
const machinesAtOnce = 10_000;

/** What is known of hosts that a caller names. */
export interface Hosts {
  readonly machines: readonly MachineRecord[];
  readonly unknown: readonly HostRef[];
}

/** Reads machines, whatever request they belong to. Touches no provider. */
export class Inventory {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #strangers: Strangers;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#strangers = new Strangers(store, clock);
  }

  /** The machine of an id; the newest, should two instances have used it. Refuses with MACHINE_NOT_FOUND. */
  async get(machine_id: string): Promise<MachineRecord> {
    const found = await this.#store.find('machine', { where: { machine_id } });
    const newest = found.toSorted((a, b) => b.created_at - a.created_at)[0];
    if (newest) return newest;
    throw new BrokerError('MACHINE_NOT_FOUND', `No machine has the id '${machine_id}'.`, { machine_ids: [machine_id] });
  }

  async list(query: Query<'machine'>): Promise<{ readonly items: readonly MachineRecord[]; readonly total_count: number }> {
    const [items, total_count] = await Promise.all([this.#store.find('machine', query), this.#store.count('machine', query.where ?? {})]);
    return { items, total_count };
  }

  /** Ids of all machines that live and that nobody gave back yet. */
  async living(): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (let offset = 0; ; offset += machinesAtOnce) {
      const page = await this.#store.find('machine', { where: { gone_at: null }, limit: machinesAtOnce, offset });
      for (const { machine_id, going } of page) if (going === undefined) ids.add(machine_id);
      if (page.length < machinesAtOnce) return [...ids];
    }
  }

  /** How many machines of a template live. */
  alive(template_id: string): Promise<number> {
    return this.#store.count('machine', { template_id, gone_at: null });
  }

  /** How many machines there are in each state. */
  async counts(): Promise<Readonly<Record<MachineStatus, number>>> {
    const counted = await Promise.all(
      machineStatuses.map(async (status) => [status, await this.#store.count('machine', { status })] as const),
    );
    return Object.fromEntries(counted) as Record<MachineStatus, number>;
  }

  /**
   * Of the hosts that are named, by id or host name, those that a cloud takes or took back by itself; those that a caller gave back are not among
   * them. Hosts that nobody knows are looked up by the loop, at `instance` or at all: the next call tells of those that are gone.
   */
  async reclaimed(machine_ids: readonly string[], names: readonly string[], instance?: string): Promise<readonly Reclaimed[]> {
    const { machines, unknown } = await this.hosts(machine_ids, names);
    const now = this.#clock.now();
    const gone = await this.#strangers.gone(unknown, instance);
    return [
      ...machines.flatMap((machine) => reclaimOf(machine, now) ?? []),
      ...gone.map(({ machine_id = '', name }) => ({
        machine_id,
        ...(name === undefined ? {} : { name }),
        reason: 'It is not known here, and the provider does not have it.',
        grace_period_s: 0,
      })),
    ];
  }

  /** The machines that are meant by these ids and host names, each once, and the hosts that nobody knows. */
  async hosts(machine_ids: readonly string[], names: readonly string[]): Promise<Hosts> {
    const [byId, byName] = await Promise.all([this.#named('machine_id', machine_ids), this.#named('name', names)]);
    const unique = new Map([...byId.values(), ...byName.values()].map((machine) => [machineKey(machine), machine]));
    return {
      machines: inOrder(unique.values()),
      unknown: [
        ...[...new Set(machine_ids)].flatMap((machine_id) => (byId.has(machine_id) ? [] : [{ machine_id }])),
        ...[...new Set(names)].flatMap((name) => (byName.has(name) ? [] : [{ name }])),
      ],
    };
  }

  async #named(field: 'machine_id' | 'name', values: readonly string[]): Promise<ReadonlyMap<string, MachineRecord>> {
    const wanted = [...new Set(values)];
    const found: MachineRecord[] = [];
    for (let i = 0; i < wanted.length; i += valuesAtOnce)
      found.push(...(await this.#store.find('machine', { where: { [field]: wanted.slice(i, i + valuesAtOnce) } })));
    // A host name may be used again by a later machine: the newest is meant.
    const newest = new Map<string, MachineRecord>();
    for (const machine of found.toSorted((a, b) => a.created_at - b.created_at)) newest.set(String(machine[field]), machine);
    return newest;
  }
}

function reclaimOf({ machine_id, name, lost, going, status, message, reclaim_at }: MachineRecord, now: number): Reclaimed | undefined {
  const named = { machine_id, ...(name === undefined ? {} : { name }) };
  if (lost === true) return { ...named, reason: message ?? `It is ${status}.`, grace_period_s: 0 };
  // What a caller gave back, or what never was one's, is nothing that the cloud takes.
  if (going !== undefined) return undefined;
  if (status === 'shutting-down' || status === 'stopping' || status === 'stopped' || status === 'terminated')
    return { ...named, reason: message ?? `It is ${status}.`, grace_period_s: 0 };
  if (reclaim_at === undefined) return undefined;
  const left = Math.max(0, Math.floor((Date.parse(reclaim_at) - now) / 1000));
  return { ...named, reason: 'The cloud takes it back.', grace_period_s: left };
}
