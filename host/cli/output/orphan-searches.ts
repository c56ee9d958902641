import { table, type TableOptions } from './table.ts';
import { isRow, plainText, type Row } from './values.ts';

/** Returns the message about an empty list of orphans: only a search can have found nothing. */
export function noOrphans(searches: unknown): string {
  const states = rowsOf(searches).map(({ state }) => state);
  if (states.length === 0) return 'No orphans: there are no provider instances to search.';
  if (states.every((state) => state === 'searched'))
    return 'No orphans: the last search found nothing in the clouds that no request knows.';
  return states.includes('searched')
    ? 'No orphans are known, but not every cloud was searched.'
    : 'No orphans are known, because no cloud was searched yet.';
}

/** Formats when the cloud of each instance was searched; empty without instances. */
export function searchedText(searches: unknown, options: TableOptions): string {
  const rows = rowsOf(searches);
  if (rows.length === 0) return '';
  const cells = rows.map((row) => [plainText(row['provider_instance']), searchText(row)]);
  return `\n${table(['provider_instance', 'last_search'], cells, options)}`;
}

const rowsOf = (searches: unknown): readonly Row[] => (Array.isArray(searches) ? searches.filter(isRow) : []);

function searchText({ state, searched_at }: Row): string {
  const at = plainText(searched_at);
  if (state === 'searched') return `${at}, for what was then older than 10 minutes`;
  if (state === 'off') return 'off: `providers[].sweep` of this instance is off';
  if (state === 'not_possible') return 'not possible: its provider cannot list what it made';
  const before = at === '' ? '' : `; before the broker started: ${at}`;
  return `not searched yet: the broker searches at intervals of 10 minutes, after the first order${before}`;
}
