import { noOrphans } from './orphan-searches.ts';
import type { Row } from './values.ts';

interface ListTexts {
  /** The default search, without inputs. */
  readonly usual: string;
  /** The search when an input or a filter widens it. */
  readonly all: string;
  /** Whether a call with this input is a default search. */
  narrow(input: Row): boolean;
  /** How to show more. */
  readonly more: string;
  /** The note beside a non-empty list: what the list omits. */
  readonly beside?: string;
}

const filtersOf = (input: Row): string[] =>
  Object.entries(input).flatMap(([name, value]) =>
    notFilters.has(name) || value === undefined
      ? []
      : [`${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`],
  );
const notFilters = new Set([
  'all_resources',
  'active_only',
  'force_refresh',
  'limit',
  'offset',
  'page',
  'page_size',
  'sort',
]);

const isUsual = ({ status, all_resources }: Row): boolean => status === undefined && all_resources !== true;

/** Lists that show only current entries by default. */
const lists: Readonly<Record<string, ListTexts>> = {
  list_active_requests: {
    usual: 'No active requests',
    all: 'No requests',
    narrow: isUsual,
    more: '--all-resources shows ended requests',
    beside: 'Active requests only; --all-resources shows ended requests too.',
  },
  list_machines: {
    usual: 'No active machines',
    all: 'No machines',
    narrow: isUsual,
    more: '--all-resources shows terminated machines',
    beside: 'Active machines only; --all-resources shows terminated machines too.',
  },
  list_templates: {
    usual: 'No usable templates',
    all: 'No templates',
    narrow: ({ active_only }) => active_only !== false,
    more: '--no-active-only shows all templates',
  },
  list_events: {
    usual: 'No events',
    all: 'No events',
    narrow: (input) => filtersOf(input).length === 0,
    more: 'the journal is empty',
  },
  sync_and_list_return_requests: {
    usual: 'No returns in progress',
    all: 'No returns',
    narrow: () => true,
    more: '`muster requests list --all-resources` shows ended returns',
  },
};

const sentences: Readonly<Record<string, string>> = {
  list_reclaimed_machines: 'The cloud reclaims none of these machines.',
  list_capacity: 'No offers: no template names machine types or places, or none matches.',
  list_budgets: 'No budgets; add them to `budgets` in the configuration.',
  list_brokers: 'No broker works on this storage.',
  list_providers:
    'No provider instances; add them to `providers` in the configuration file, which `muster server status` names.',
};

/**
 * Returns the message about an empty list: what was searched, and how to show more. `matching`: the number of matches
 * on other pages.
 */
export function emptyList(operation: string, input: Row, matching: number, answer: Row = {}): string {
  if (operation === 'list_orphans') return noOrphans(answer['searches']);
  if (matching > 0) return `This page is empty; ${matching} entries match in total.`;
  const words = lists[operation];
  if (!words) return sentences[operation] ?? 'Nothing was found.';
  const filters = filtersOf(input);
  const filtered = filters.length === 0 ? '' : ` with ${filters.join(' and ')}`;
  return words.narrow(input) ? `${words.usual}${filtered}; ${words.more}.` : `${words.all}${filtered}.`;
}

/** Whether a call of a list asks for what it shows by default. */
export const isUsualList = (operation: string, input: Row): boolean => lists[operation]?.narrow(input) ?? false;

/** Returns the note about what a non-empty list omits by default; undefined when it omits nothing. */
export function omittedNote(operation: string, input: Row): string | undefined {
  const words = lists[operation];
  return words?.narrow(input) ? words.beside : undefined;
}
