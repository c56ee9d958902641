import { isObject } from '../../core/schema/is-object.ts';

export type Origin = 'default' | 'file' | 'environment' | 'command line';

export interface ValueOrigin {
  readonly origin: Origin;
  /** The environment variable that set the value. */
  readonly variable?: string;
}

type Tree = Readonly<Record<string, unknown>>;

const order: readonly Origin[] = ['default', 'file', 'environment', 'command line'];
const rank = ({ origin }: ValueOrigin): number => order.indexOf(origin);

/** Merges values of several origins and records the origin of each value. */
export class Layers {
  #value: Tree = {};
  readonly #origins = new Map<string, ValueOrigin>();

  /**
   * Merges `over` on top: objects field by field, all other values as a whole. A value of the environment does not
   * replace a value of the command line. `variables` names the environment variable of a JSON pointer.
   */
  add(over: Tree, origin: Origin, variables?: ReadonlyMap<string, string>): this {
    this.#value = this.#merge(this.#value, over, '', { origin, ...(variables ? { variables } : {}) });
    return this;
  }

  /** As `add`, for one field of one entry of a list. */
  addToEntry(
    list: string,
    index: number,
    field: string,
    over: Tree,
    origin: Origin,
    variables: ReadonlyMap<string, string>,
  ): this {
    const entries = this.#value[list];
    const entry = Array.isArray(entries) ? (entries[index] as unknown) : undefined;
    const below = isObject(entry) ? (entry[field] ?? {}) : undefined;
    if (!Array.isArray(entries) || !isObject(entry) || !isObject(below)) return this;
    const at = `/${list}/${index}/${field}`;
    const names = new Map([...variables].map(([pointer, variable]) => [`${at}${pointer}`, variable]));
    const merged = { ...entry, [field]: this.#merge(below, over, at, { origin, variables: names }) };
    this.#value = { ...this.#value, [list]: entries.with(index, merged) };
    return this;
  }

  get value(): Tree {
    return this.#value;
  }

  /**
   * The origin of the value at a pointer, or of the nearest value that contains it. For an object without an origin of
   * its own: the origin with the highest precedence inside the object.
   */
  at(pointer: string): ValueOrigin {
    const within = () =>
      [...this.#origins].flatMap(([leaf, origin]) => (leaf.startsWith(`${pointer}/`) ? [origin] : []));
    return (
      nearestUp(this.#origins, pointer) ?? within().toSorted((a, b) => rank(b) - rank(a))[0] ?? { origin: 'default' }
    );
  }

  /** The origin of each leaf of the final configuration, by JSON pointer. */
  of(finished: unknown): Map<string, ValueOrigin> {
    return new Map(
      leaves(finished, '').map((pointer) => [pointer, this.#origins.get(pointer) ?? { origin: 'default' }]),
    );
  }

  #merge(
    under: Tree,
    over: Tree,
    at: string,
    by: { readonly origin: Origin; readonly variables?: ReadonlyMap<string, string> },
  ): Tree {
    const merged: Record<string, unknown> = { ...under };
    for (const [name, value] of Object.entries(over)) {
      const pointer = `${at}/${escape(name)}`;
      const below = merged[name];
      if (value === undefined) continue;
      if (isObject(value) && isObject(below)) merged[name] = this.#merge(below, value, pointer, by);
      else if (by.origin === 'environment' && this.#origins.get(pointer)?.origin === 'command line') continue;
      else {
        merged[name] = value;
        this.#mark(pointer, value, by);
      }
    }
    return merged;
  }

  #mark(
    pointer: string,
    value: unknown,
    by: { readonly origin: Origin; readonly variables?: ReadonlyMap<string, string> },
  ): void {
    for (const known of this.#origins.keys())
      if (known === pointer || known.startsWith(`${pointer}/`)) this.#origins.delete(known);
    for (const leaf of leaves(value, pointer)) {
      const variable = by.variables && nearestUp(by.variables, leaf);
      this.#origins.set(leaf, { origin: by.origin, ...(variable === undefined ? {} : { variable }) });
    }
  }
}

function leaves(value: unknown, pointer: string): string[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return inner.length === 0
    ? [pointer]
    : inner.flatMap(([step, each]) => leaves(each, `${pointer}/${escape(String(step))}`));
}

/** Returns the entry of a JSON pointer or of its nearest ancestor; undefined when there is none. */
export function nearestUp<T>(known: ReadonlyMap<string, T>, pointer: string): T | undefined {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = known.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

const escape = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
