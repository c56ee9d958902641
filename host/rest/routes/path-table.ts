/** How a route's failures look. */
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

/** Which methods each path serves, for the answer to a wrong one. */
export class PathTable {
  readonly #entries = new Map<string, Entry>();

  /** `path` with `{name}` for parameters; with a slash at its end where it is served with it and without it. */
  add(method: string, path: string, form: ErrorForm): void {
    let entry = this.#entries.get(path);
    if (!entry) {
      const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
      entry = { pattern: new RegExp(`^${pattern.replace(/\/$/, '/?')}$`), fixed: !path.includes('{'), methods: new Set(), form };
      this.#entries.set(path, entry);
    }
    entry.methods.add(method);
  }

  /** What the path serves; a path without parameters beats one with. */
  match(path: string): PathMatch | undefined {
    const found = [...this.#entries.values()].filter((entry) => entry.pattern.test(path));
    const [best] = found.toSorted((a, b) => Number(b.fixed) - Number(a.fixed));
    return (
      best && {
        methods: [...new Set(found.filter((entry) => entry.fixed === best.fixed).flatMap((entry) => [...entry.methods]))],
        form: best.form,
      }
    );
  }
}
