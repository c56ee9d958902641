import { checkedAmounts, columnValues, shapes, type Change } from '../../../core/index.ts';
import type { Statements } from '../queries/statements.ts';

/** Returns the step that adds amounts to the numbers of a fact, in one statement. */
export function addition({ key, amounts, at }: Extract<Change, { op: 'add' }>, statements: Statements): () => void {
  const all = checkedAmounts(amounts);
  const fresh = JSON.stringify({ ...key, value: Object.fromEntries(all), at });
  const values = all.flatMap(([name, amount]) => {
    const path = `$.value.${name}`;
    // SQLite stores a bound number as 1.0, and a bound BigInt as 1.
    return [path, path, Number.isSafeInteger(amount) ? BigInt(amount) : amount];
  });
  const statement = statements.cached(adding(all.length));
  const given = [...columnValues(key, shapes.fact.key), fresh, ...values, at];
  return () => void statement.run(...given);
}

/** The SQL depends on the number of amounts, not on their names. */
function adding(count: number): string {
  const sums = ', ?, coalesce(json_extract(fact.doc, ?), 0) + ?'.repeat(count);
  return `INSERT INTO fact (topic, name, item, doc) VALUES (?, ?, ?, ?) ON CONFLICT (topic, name, item) DO UPDATE
    SET doc = json_set(fact.doc${sums}, '$.at', max(json_extract(fact.doc, '$.at'), CAST(? AS INTEGER)))`;
}
