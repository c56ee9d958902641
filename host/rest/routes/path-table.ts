/** The format of the errors of a route. */
export type ErrorForm = 'detail' | 'error';

interface Entry {
  readonly pattern: RegExp;
  readonly fixed: boolean;
  readonly methods: Set<string>;
  readonly form: ErrorForm;
}

export interface PathMatch {
  readonly methods: readonly string[];
  readonly form: ErrorForm;
}

/** The methods that each path serves, for the answer to an unsupported method. */
export class PathTable {
  readonly #entries = new Map<string, Entry>();

  /**
   * Adds a route. `path` has `{name}` for parameters, and a slash at its end when it is served with and without the
   * slash.
   */
  add(method: string, path: string, form: ErrorForm): void {
    let entry = this.#entries.get(path);
    if (!entry) {
      const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
      entry = {
        pattern: new RegExp(`^${pattern.replace(/\/$/, '/?')}$`),
        fixed: !path.includes('{'),
        methods: new Set(),
        form,
      };
      this.#entries.set(path, entry);
    }
    entry.methods.add(method);
  }

  /**
   * Returns the methods of a path; undefined when no route has it. A path without parameters takes precedence over one
   * with parameters.
   */
  match(path: string): PathMatch | undefined {
    const found = [...this.#entries.values()].filter((entry) => entry.pattern.test(path));
    const [best] = found.toSorted((a, b) => Number(b.fixed) - Number(a.fixed));
    return (
      best && {
        methods: [
          ...new Set(found.filter((entry) => entry.fixed === best.fixed).flatMap((entry) => [...entry.methods])),
        ],
        form: best.form,
      }
    );
  }
}
