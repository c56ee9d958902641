import type { Kept } from './kept.ts';

/** The records of a table by the value of one column. */
export class ColumnIndex {
  readonly #column: string;
  readonly #records = new Map<unknown, Map<string, Kept>>();

  constructor(column: string, records: Iterable<readonly [string, Kept]>) {
    this.#column = column;
    for (const [id, record] of records) this.replace(id, undefined, record);
  }

  /** Follows a change of the record with this id. */
  replace(id: string, before: Kept | undefined, after: Kept | undefined): void {
    if (before) this.#remove(id, this.#value(before));
    if (after) this.#add(id, after, this.#value(after));
  }

  /** How many records have one of the values. */
  count(values: readonly unknown[]): number {
    return values.reduce<number>((sum, value) => sum + (this.#records.get(value)?.size ?? 0), 0);
  }

  /** The records that have one of the values. */
  with(values: readonly unknown[]): readonly Kept[] {
    return [...new Set(values)].flatMap((value) => [...(this.#records.get(value)?.values() ?? [])]);
  }

  #value(record: Kept): unknown {
    return record[this.#column] ?? null;
  }

  #add(id: string, record: Kept, value: unknown): void {
    const same = this.#records.get(value);
    if (same) same.set(id, record);
    else this.#records.set(value, new Map([[id, record]]));
  }

  #remove(id: string, value: unknown): void {
    const same = this.#records.get(value);
    same?.delete(id);
    if (same?.size === 0) this.#records.delete(value);
  }
}
