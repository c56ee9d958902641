import type { Row } from './values.ts';

interface Words {
  /** What is looked for without any input. */
  readonly usual: string;
  /** What is looked for where an input, or another filter that says it all, widens the search. */
  readonly all: string;
  /** Whether a call with this input is a usual one. */
  narrow(input: Row): boolean;
  /** What shows more. */
  readonly more: string;
  /** Beside a list that is not empty: what it does not show. */
  readonly beside?: string;
}

const filtersOf = (input: Row): string[] =>
  Object.entries(input).flatMap(([name, value]) =>
    notFilters.has(name) || value === undefined ? [] : [`${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`],
  );
const notFilters = new Set(['all_resources', 'active_only', 'force_refresh', 'limit', 'offset', 'page', 'page_size', 'sort']);

const isUsual = ({ status, all_resources }: Row): boolean => status === undefined && all_resources !== true;

/** Lists that show what matters now. */
const lists: Readonly<Record<string, Words>> = {
  list_active_requests: {
    usual: 'No active requests',
    all: 'No requests',
    narrow: isUsual,
    more: '--all-resources shows ended ones',
    beside: 'Active requests only; --all-resources shows ended ones too.',
  },
  list_machines: {
    usual: 'No machines that live',
    all: 'No machines',
    narrow: isUsual,
    more: '--all-resources shows those that are gone',
    beside: 'Machines that live only; --all-resources shows those that are gone too.',
  },
  list_templates: {
    usual: 'No templates that machines can be had from',
    all: 'No templates',
    narrow: ({ active_only }) => active_only !== false,
    more: '--no-active-only shows all',
  },
  sync_and_list_return_requests: {
    usual: 'No returns in progress',
    all: 'No returns',
    narrow: () => true,
    more: '`muster requests list --all-resources` shows ended ones',
  },
};

const sentences: Readonly<Record<string, string>> = {
  list_reclaimed_machines: 'None of these machines is taken back.',
  list_providers: 'No provider instances; name them under `providers` in the configuration.',
};

/**
 * What is said where a list has nothing: what was looked for, and what shows more. `matching`: how many there are on
 * other pages.
 */
export function emptyList(operation: string, input: Row, matching: number): string {
  if (matching > 0) return `Nothing on this page; ${matching} match in all.`;
  const words = lists[operation];
  if (!words) return sentences[operation] ?? 'Nothing was found.';
  const filters = filtersOf(input);
  const filtered = filters.length === 0 ? '' : ` with ${filters.join(' and ')}`;
  return words.narrow(input) ? `${words.usual}${filtered}; ${words.more}.` : `${words.all}${filtered}.`;
}

/** What a list that is not empty leaves out without being told to. */
export function leftOut(operation: string, input: Row): string | undefined {
  const words = lists[operation];
  return words?.narrow(input) ? words.beside : undefined;
}
