import type { Tags } from '../state/tags.ts';
import { invalidParameter } from './errors.ts';
import { type Params, parts, text, texts } from './form.ts';

/** One `Filter.N`: its values are alternatives, and an entry must pass every filter. */
export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
  /** Whether no value has a wildcard, so that an index can answer it. */
  readonly exact: boolean;
  matches(value: string): boolean;
}

/** The values of an entry for each filter name of an action. */
export type FilterFields<T> = Readonly<Record<string, (entry: T) => string | readonly string[] | undefined>>;

/**
 * Reads the filters of a call; unknown names are refused as in EC2. `tagged` entries also have `tag-key` and
 * `tag:KEY`. The dispatcher checks the number of filters.
 */
export function readFilters<T>(params: Params, fields: FilterFields<T>, tagged: boolean): Filter[] {
  return parts(params, 'Filter').map((entry) => {
    const name = text(entry, 'Name') ?? '';
    const values = texts(entry, 'Value');
    const known = Object.hasOwn(fields, name) || (tagged && (name === 'tag-key' || name.startsWith('tag:')));
    if (!known) throw invalidParameter(`The filter '${name}' is invalid`);
    if (values.length === 0) throw invalidParameter(`The filter '${name}' needs at least one value`);
    return filter(name, values);
  });
}

/** Whether an entry passes every filter. */
export function passes<T>(
  entry: T,
  filters: readonly Filter[],
  fields: FilterFields<T>,
  tagsOf?: (entry: T) => Tags,
): boolean {
  return filters.every((filter) => {
    const value = valueOf(entry, filter.name, fields, tagsOf);
    if (value === undefined) return false;
    return typeof value === 'string' ? filter.matches(value) : value.some((one) => filter.matches(one));
  });
}

function valueOf<T>(
  entry: T,
  name: string,
  fields: FilterFields<T>,
  tagsOf: ((entry: T) => Tags) | undefined,
): string | readonly string[] | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field !== undefined) return field(entry);
  const tags = tagsOf?.(entry);
  return name === 'tag-key' ? tags && [...tags.keys()] : tags?.get(name.slice('tag:'.length));
}

function filter(name: string, values: readonly string[]): Filter {
  const exact = values.every((value) => !/[*?\\]/.test(value));
  if (exact) {
    const set = new Set(values);
    return { name, values, exact, matches: (value) => set.has(value) };
  }
  const patterns = values.map(wildcard);
  return { name, values, exact, matches: (value) => patterns.some((pattern) => pattern.test(value)) };
}

/** `*` any text, `?` any character, a backslash before either means the character itself. */
function wildcard(pattern: string): RegExp {
  const source = pattern.replace(/\\[*?\\]|[*?]|[.+^${}()|[\]\\]/g, (found) => {
    if (found === '*') return '[^]*';
    if (found === '?') return '[^]';
    return found.length === 2 ? `\\${found[1]}` : `\\${found}`;
  });
  return new RegExp(`^${source}$`, 'u');
}

/** Filters that AWS supports and that have no value here: they are accepted and match nothing. */
export function withoutValue<T>(...names: readonly string[]): FilterFields<T> {
  return Object.fromEntries(names.map((name) => [name, () => undefined]));
}
