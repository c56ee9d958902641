import type { MachineKey, MachineRecord } from '../../core/model/machine.ts';
import type { Inventory } from '../../core/requests/queries/inventory.ts';
import { meant, severalMeant } from '../../core/requests/queries/machines-named.ts';
import type { NamedHost } from './input.ts';

/**
 * The machines that hosts stand for, in their order: by id where one is given, else by name, and by an id that stands
 * where the name was not known yet. CONFLICT where several live under an id, and the name that came with it tells none
 * of them apart. /
 */
export async function findHosts(hosts: readonly NamedHost[], inventory: Inventory): Promise<readonly MachineKey[]> {
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const { machines: known, unknown } = await inventory.hosts(ids, names);
  const asIds = unknown.flatMap(({ name }) => name ?? []);
  const more = asIds.length === 0 ? [] : (await inventory.hosts(asIds, [])).machines;
  const byId = Map.groupBy([...known, ...more], (machine) => machine.machine_id);
  const byName = Map.groupBy(known, (machine) => machine.name);
  const found = hosts.map(({ machine_id, name = '' }): readonly [string, readonly MachineRecord[]] => {
    if (machine_id === undefined) return [name, meant(byName.get(name) ?? byId.get(name) ?? [])];
    const mine = byId.get(machine_id) ?? [];
    const called = mine.filter((machine) => machine.name === name);
    return [machine_id, called.length > 0 ? called : mine];
  });
  const doubtful = found.filter(([, machines]) => machines.length > 1);
  if (doubtful.length > 0) throw severalMeant(doubtful, 'nothing is returned');
  return found.flatMap(([, machines]) => machines);
}
