import type { MachineRecord } from '../../core/model/machine.ts';
import type { Inventory } from '../../core/requests/inventory.ts';
import type { NamedHost } from './input.ts';

/** The machines that hosts stand for, in their order: by id where one is given, else by name, and by an id that stands where the name was not known yet. */
export async function findHosts(hosts: readonly NamedHost[], inventory: Inventory): Promise<readonly MachineRecord[]> {
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const { machines, unknown } = await inventory.hosts(ids, names);
  const asIds = unknown.flatMap(({ name }) => name ?? []);
  const found = asIds.length === 0 ? machines : [...machines, ...(await inventory.hosts(asIds, [])).machines];
  const order = new Map(hosts.map(({ machine_id, name }, index) => [machine_id ?? name, index]));
  const placeOf = ({ machine_id, name }: MachineRecord) => order.get(machine_id) ?? order.get(name) ?? hosts.length;
  return found.toSorted((a, b) => placeOf(a) - placeOf(b));
}
