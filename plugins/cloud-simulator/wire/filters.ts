import type { Tags } from '../state/tags.ts';
import { AwsError, invalidParameter } from './errors.ts';
import { type Params, parts, text, texts } from './form.ts';

/** One `Filter.N`: its values are alternatives, and an entry must pass every filter. */
export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
  /** Whether no value has a wildcard, so that an index can answer it. */
  readonly exact: boolean;
  matches(value: string): boolean;
}

/** How the filters of one action read an entry: by name, one or several values. */
export type FilterFields<T> = Readonly<Record<string, (entry: T) => string | readonly string[] | undefined>>;

const maxFilters = 50;
const maxValues = 200;

/** Reads the filters of a call; unknown names and too many values are refused as EC2 refuses them. `tag:KEY` is known when `tags` is. */
export function readFilters<T>(params: Params, fields: FilterFields<T>, tagged: boolean): Filter[] {
  const given = parts(params, 'Filter');
  if (given.length > maxFilters) throw limitExceeded(`The maximum number of filters is ${maxFilters}`);
  return given.map((entry) => {
    const name = text(entry, 'Name') ?? '';
    const values = texts(entry, 'Value');
    const known = Object.hasOwn(fields, name) || (tagged && (name === 'tag-key' || name.startsWith('tag:')));
    if (!known) throw invalidParameter(`The filter '${name}' is invalid`);
    if (values.length === 0) throw invalidParameter(`The filter '${name}' needs at least one value`);
    if (values.length > maxValues) throw limitExceeded(`The maximum number of filter values specified on a single call is ${maxValues}`);
    return filter(name, values);
  });
}

/** Whether an entry passes every filter. */
export function passes<T>(entry: T, filters: readonly Filter[], fields: FilterFields<T>, tagsOf?: (entry: T) => Tags): boolean {
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

function limitExceeded(message: string): AwsError {
  return new AwsError('FilterLimitExceeded', message);
}
