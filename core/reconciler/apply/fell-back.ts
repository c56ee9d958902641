import { marketWord } from '../../model/market.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';

/**
 * Which machines came from another instance than the selected one, and why, as a sentence; empty when none did.
 * Machines that were returned or replaced since count too. `told`: reasons that the reader gets anyway.
 */
export function fellBack(
  { selected_instance }: RequestRecord,
  attempts: readonly AttemptRecord[],
  machines: Iterable<MachineRecord>,
  told: readonly string[] = [],
): string {
  if (selected_instance === undefined) return '';
  const elsewhere = [...machines].filter(
    ({ ready_at, replaces, provider_instance }) =>
      ready_at !== undefined && replaces === undefined && provider_instance !== selected_instance,
  );
  if (elsewhere.length === 0) return '';
  const counts = Map.groupBy(elsewhere, ({ provider_instance, market }) =>
    market === undefined ? `'${provider_instance}'` : `'${provider_instance}' (${marketWord(market)})`,
  );
  const from = [...counts].map(([place, all]) => `${all.length} from ${place}`).join(', ');
  const why = attempts
    .filter((attempt) => attempt.provider_instance === selected_instance)
    .flatMap(({ shortfall, message }) => shortfall[0]?.message ?? message ?? [])[0];
  const isNew = why !== undefined && !told.includes(why);
  return `${from} instead of '${selected_instance}'${isNew ? `: ${withStop(why)}` : '.'}`;
}

const withStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
