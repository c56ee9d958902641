import { chunks } from '../../collections/chunks.ts';
import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import {
  addRow,
  summed,
  usageFields,
  usageOf,
  usageTopic,
  type Amounts,
  type UsageField,
  type UsageRow,
} from '../../model/usage/usage.ts';
import type { UsageTags } from '../../model/usage/usage-tags.ts';
import { turn } from '../../collections/turn.ts';

/** What is read and summed up before other work of the thread runs. */
const machinesAtOnce = 200;
const daysAtOnce = 20;
const mostReads = 5;

/** Sums the use of machines: of those that are gone from the sums of each day, of the living ones as they are. */
export class UsageQuery {
  /** The tags by which use is summed up. */
  readonly tags: readonly string[];
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock, tags: readonly string[] = []) {
    this.#store = store;
    this.#clock = clock;
    this.tags = tags;
  }

  /** One row for each day and kind of machines, without those that used nothing. `days`: `YYYY-MM-DD`. */
  async rows(days: readonly string[]): Promise<readonly UsageRow[]> {
    const wanted = new Set(days);
    // A machine that ends between the two reads would count twice or not at all: then both are repeated.
    let gone = await this.#gone(days);
    for (let reads = 1; ; reads += 1) {
      const living = await this.#living(wanted);
      const again = await this.#gone(days);
      if (reads === mostReads || isEqual(again, gone))
        return summed([...again, ...living]).filter(({ amounts }) => amounts.machine_ms > 0);
      gone = again;
    }
  }

  async #gone(days: readonly string[]): Promise<readonly UsageRow[]> {
    const rows: UsageRow[] = [];
    for (const name of chunks(days, daysAtOnce)) {
      const facts = await this.#store.find('fact', { where: { topic: usageTopic, name } });
      for (const each of facts) rows.push({ day: each.name, kind: each.item, amounts: each.value as Amounts });
      await turn();
    }
    return rows;
  }

  async #living(days: ReadonlySet<string>): Promise<readonly UsageRow[]> {
    const now = this.#clock.now();
    const sums = new Map<string, UsageRow>();
    for (let offset = 0; ; offset += machinesAtOnce) {
      const page = await this.#store.find('machine', {
        where: { gone_at: null },
        order: [['created_at', 'asc']],
        limit: machinesAtOnce,
        offset,
      });
      for (const machine of page) for (const row of usageOf(machine, now)) if (days.has(row.day)) addRow(sums, row);
      if (page.length < machinesAtOnce) return [...sums.values()];
      await turn();
    }
  }
}

/** Each sum has a row of its own, and rows come in the order of their keys. */
const isEqual = (a: readonly UsageRow[], b: readonly UsageRow[]): boolean =>
  a.length === b.length &&
  a.every(({ day, kind, amounts }, i) => {
    const other = b[i];
    return day === other?.day && kind === other.kind && JSON.stringify(amounts) === JSON.stringify(other.amounts);
  });

/** The values of the fields of a kind, and the values of its tags by their names. */
export interface KindFields {
  readonly fields: Readonly<Record<UsageField, string | null>>;
  /** Without the tags that were not kept. null: the machines do not have the tag. */
  readonly tags: UsageTags;
}

/** Reads a kind. */
export function fieldsOf(kind: string): KindFields {
  const values = JSON.parse(kind) as readonly (string | null)[];
  const [tags = {}] = values.slice(usageFields.length) as unknown as readonly UsageTags[];
  return { fields: Object.fromEntries(usageFields.map((field, i) => [field, values[i] ?? null])) as never, tags };
}
