import { queryInParts } from '../../collections/query-in-parts.ts';
import { BrokerError } from '../../contract/errors.ts';
import { isAlive } from '../../reconciler/state/machine-life.ts';
import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import type { Store } from '../../contract/storage.ts';

/**
 * A name of a machine: its id, its key, or `instance/id`. Ids are unique within one instance and may contain slashes;
 * names of instances contain none.
 */
export type MachineName = string | MachineKey;

/**
 * The machines with these names, each once, in the order of the names. For an id of several machines the result is all
 * that live and that no caller returned, else the newest living one, else the newest. Throws MACHINE_NOT_FOUND with
 * every name that has no machine, and CONFLICT with every name that has several; `consequence` is appended to the
 * message.
 */
export async function machinesNamed(
  store: Store,
  names: readonly MachineName[],
  consequence = '',
): Promise<readonly MachineRecord[]> {
  const named = new Map(names.map((name) => [textOf(name), name]));
  const byId = Map.groupBy(await withIds(store, [...named.values()].flatMap(idsIn)), ({ machine_id }) => machine_id);
  const found = [...named].map(([text, name]) => [text, meant(candidates(name, byId))] as const);
  const unknown = found.flatMap(([text, machines]) => (machines.length === 0 ? text : []));
  if (unknown.length > 0) throw notFound(unknown, consequence);
  const doubtful = found.filter(([, machines]) => machines.length > 1);
  if (doubtful.length > 0) throw severalMeant(doubtful, consequence);
  return [
    ...new Map(found.flatMap(([, machines]) => machines.map((machine) => [machineKey(machine), machine]))).values(),
  ];
}

/** Of the machines with one name, those that a caller may mean now. */
export function meant(machines: readonly MachineRecord[]): readonly MachineRecord[] {
  const living = machines.filter(isAlive);
  const kept = living.filter((machine) => machine.going === undefined);
  if (kept.length > 0) return kept;
  return (living.length > 0 ? living : machines).toSorted((a, b) => b.created_at - a.created_at).slice(0, 1);
}

/** The machines whose `field` has one of the values, in any state. */
export function machinesWith(
  store: Store,
  field: 'machine_id' | 'name',
  values: readonly string[],
): Promise<readonly MachineRecord[]> {
  return queryInParts(values, (some) => store.find('machine', { where: { [field]: some } }));
}

const withIds = (store: Store, ids: readonly string[]) => machinesWith(store, 'machine_id', ids);

const textOf = (name: MachineName): string =>
  typeof name === 'string' ? name : `${name.provider_instance}/${name.machine_id}`;

/** The key that a text may stand for. */
function keyIn(text: string): MachineKey | undefined {
  const slash = text.indexOf('/');
  return slash > 0 ? { provider_instance: text.slice(0, slash), machine_id: text.slice(slash + 1) } : undefined;
}

function idsIn(name: MachineName): readonly string[] {
  if (typeof name !== 'string') return [name.machine_id];
  const key = keyIn(name);
  return key ? [name, key.machine_id] : [name];
}

function candidates(name: MachineName, byId: ReadonlyMap<string, readonly MachineRecord[]>): readonly MachineRecord[] {
  const key = typeof name === 'string' ? keyIn(name) : name;
  const under = key
    ? (byId.get(key.machine_id) ?? []).filter((machine) => machine.provider_instance === key.provider_instance)
    : [];
  return typeof name === 'string' ? [...(byId.get(name) ?? []), ...under] : under;
}

const shownAtMost = 20;
const end = (consequence: string): string => (consequence === '' ? '.' : `; ${consequence}.`);

function notFound(unknown: readonly string[], consequence: string): BrokerError {
  const shown = unknown.slice(0, shownAtMost).map((id) => `'${id}'`);
  const more = unknown.length > shownAtMost ? ` and ${unknown.length - shownAtMost} more` : '';
  return new BrokerError('MACHINE_NOT_FOUND', `No machine has the id ${shown.join(', ')}${more}${end(consequence)}`, {
    machine_ids: unknown,
  });
}

/** The error for names that several machines have. */
export function severalMeant(
  doubtful: readonly (readonly [string, readonly MachineRecord[]])[],
  consequence: string,
): BrokerError {
  const shown = doubtful
    .slice(0, shownAtMost)
    .map(([text, machines]) => `'${text}' is ${machines.map((each) => `'${textOf(each)}'`).join(' or ')}`);
  const more = doubtful.length > shownAtMost ? `, and ${doubtful.length - shownAtMost} more` : '';
  const keys = doubtful.flatMap(([, machines]) =>
    machines.map(({ provider_instance, machine_id }) => ({ provider_instance, machine_id })),
  );
  return new BrokerError(
    'CONFLICT',
    `Several living machines have the same id or name: ${shown.join(', ')}${more}. Name one of them${end(consequence)}`,
    {
      machines: keys,
    },
  );
}
