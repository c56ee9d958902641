import { queryInParts } from '../../collections/query-in-parts.ts';
import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import { summed, usageFields, usageOf, usageTopic, type Amounts, type UsageRow } from '../../model/usage/usage.ts';

const machinesAtOnce = 1_000;
const mostReads = 5;

/** Sums the use of machines: of those that are gone from the sums of each day, of the living ones as they are. */
export class UsageQuery {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** One row for each day and kind of machines, without those that used nothing. `days`: `YYYY-MM-DD`. */
  async rows(days: readonly string[]): Promise<readonly UsageRow[]> {
    const wanted = new Set(days);
    // A machine that ends between the two reads would count twice or not at all: then both are repeated.
    let gone = await this.#gone(days);
    for (let reads = 1; ; reads += 1) {
      const living = await this.#living(wanted);
      const again = await this.#gone(days);
      if (reads === mostReads || JSON.stringify(again) === JSON.stringify(gone))
        return summed([...again, ...living]).filter(({ amounts }) => amounts.machine_ms > 0);
      gone = again;
    }
  }

  async #gone(days: readonly string[]): Promise<readonly UsageRow[]> {
    const facts = await queryInParts(days, (name) => this.#store.find('fact', { where: { topic: usageTopic, name } }));
    return facts.map(({ name, item, value }) => ({ day: name, kind: item, amounts: value as Amounts }));
  }

  async #living(days: ReadonlySet<string>): Promise<readonly UsageRow[]> {
    const now = this.#clock.now();
    let sums: readonly UsageRow[] = [];
    for (let offset = 0; ; offset += machinesAtOnce) {
      const page = await this.#store.find('machine', {
        where: { gone_at: null },
        order: [['created_at', 'asc']],
        limit: machinesAtOnce,
        offset,
      });
      const rows = page.flatMap((machine) => usageOf(machine, now)).filter(({ day }) => days.has(day));
      sums = summed([...sums, ...rows]);
      if (page.length < machinesAtOnce) return sums;
    }
  }
}

/** The values of the fields of a kind. */
export function fieldsOf(kind: string): Readonly<Record<(typeof usageFields)[number], string | null>> {
  const values = JSON.parse(kind) as readonly (string | null)[];
  return Object.fromEntries(usageFields.map((field, index) => [field, values[index] ?? null])) as never;
}
