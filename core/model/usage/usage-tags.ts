import { Type, type Static } from 'typebox';

/** The most names of tags by which use is summed up. */
export const mostUsageTags = 5;

/** The most combinations of values that a process keeps on a day, and the most bytes of one, as JSON. */
const mostCombinations = 1_000;
const mostBytes = 1_000;

const dayMs = 86_400_000;

/** The values of the configured tags of the machines of a request, by name. null: they do not have the tag. */
export const UsageTags = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]));
export type UsageTags = Readonly<Static<typeof UsageTags>>;

/**
 * Chooses the tags by which the use of machines is summed up. There is one sum for each combination of values on each
 * day, for good: above the bounds, the tags of a request are not kept.
 */
export class UsageTagging {
  readonly #names: readonly string[];
  readonly #seen = new Set<string>();
  #day: number | undefined;

  /** `names`: the configured tags. None: nothing is kept. */
  constructor(names: readonly string[]) {
    this.#names = names.toSorted();
  }

  /** The values to keep of the tags of a request or an order that is made now. Undefined: none are kept. */
  of(tags: () => Readonly<Record<string, string>>, now: number): UsageTags | undefined {
    if (this.#names.length === 0) return undefined;
    const day = Math.floor(now / dayMs);
    if (day !== this.#day) this.#seen.clear();
    this.#day = day;
    const all = tags();
    const kept = Object.fromEntries(
      this.#names.map((name) => [name, Object.hasOwn(all, name) ? (all[name] ?? null) : null]),
    );
    const combination = JSON.stringify(kept);
    if (this.#seen.has(combination)) return kept;
    if (this.#seen.size >= mostCombinations || new TextEncoder().encode(combination).length > mostBytes)
      return undefined;
    this.#seen.add(combination);
    return kept;
  }
}
