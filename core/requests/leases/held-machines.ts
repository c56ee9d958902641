import { queryInParts } from '../../collections/query-in-parts.ts';
import { BrokerError } from '../../contract/errors.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { machineKey, type MachineRecord } from '../../model/machine.ts';
import { standOf } from './stand.ts';
import { termsOf, unlessTerms } from './terms.ts';

const shownAtMost = 20;

/**
 * Throws CONFLICT when a caller holds one of the machines. Returns the conditions of the commit that returns them: it
 * is refused when a hold or an extension is stored in between; see `termsChanged`. Costs one query for machines of
 * requests whose machines were never held or extended.
 */
export async function refuseHeld(
  store: Store,
  machines: readonly MachineRecord[],
  now: number,
): Promise<readonly Change[]> {
  const requests = [...new Set(machines.map(({ request_id }) => request_id))];
  const terms = await termsOf(store, requests);
  const termed = requests.filter((id) => terms(id) > 0);
  if (termed.length > 0) {
    const signals = await queryInParts(termed, (request_id) =>
      store.find('signal', { where: { request_id, applied: false } }),
    );
    const keys = new Set(machines.map(machineKey));
    const ids = machines.filter(({ request_id }) => terms(request_id) > 0).map(({ machine_id }) => machine_id);
    const found = await queryInParts(ids, (machine_id) => store.find('machine', { where: { machine_id } }));
    const held = found.flatMap((machine) => {
      const { hold } = standOf(machine, signals);
      const isKept = machine.gone_at === undefined && machine.going === undefined;
      return keys.has(machineKey(machine)) && isKept && hold && hold.until > now ? [{ machine, hold }] : [];
    });
    if (held.length > 0) throw isHeldError(held);
  }
  return requests.map((id) => unlessTerms(id, terms(id)));
}

function isHeldError(
  held: readonly { readonly machine: MachineRecord; readonly hold: { until: number; reason: string } }[],
): BrokerError {
  const shown = held
    .slice(0, shownAtMost)
    .map(
      ({ machine, hold }) =>
        `Machine '${machine.machine_id}' is held until ${new Date(hold.until).toISOString()}: ${hold.reason}`,
    );
  const more = held.length > shownAtMost ? ` ${held.length - shownAtMost} more machines are held.` : '';
  return new BrokerError(
    'CONFLICT',
    `${shown.map((each) => each.replace(/\.?$/, '.')).join(' ')}${more} Nothing is returned. End the hold with hold_machines and \`seconds: 0\`, or set force_return, which REST does not have.`,
    { held_machine_ids: held.map(({ machine }) => machine.machine_id) },
  );
}
