import { kinds, quoted, type Kind } from '../../../core/index.ts';
import { beginning } from '../database/beginning.ts';
import { locking } from '../database/locks.ts';
import type { BudgetStatements } from '../database/budgets.ts';
import { numberArray, textArray } from '../database/array-value.ts';
import type { Row, Statement, Value } from '../connections/statement.ts';
import type { EventRow, Work } from './work.ts';

/** The kinds in the order of the columns of `state`. */
const columns = Object.keys(kinds) as Kind[];
const columnList = columns.map(quoted).join(', ');

/** The number of changes of each kind, after a group. */
export type Marks = ReadonlyMap<Kind, number>;

/** The statements around the work of a group, for the tables of a schema. */
export class GroupStatements {
  readonly #ends = new Map<string, string>();
  readonly #schema: string;
  readonly #marks: Statement;
  readonly #budgets: BudgetStatements;

  constructor(schema: string, budgets: BudgetStatements) {
    this.#budgets = budgets;
    this.#schema = schema;
    this.#marks = { text: `SELECT ${columnList} FROM ${schema}.state`, values: [] };
  }

  /** Before the work of the group. */
  before(works: readonly Work[]): readonly Statement[] {
    const locks = [...new Set(works.flatMap((each) => each.locks))].toSorted((a, b) =>
      BigInt(a) < BigInt(b) ? -1 : 1,
    );
    const reserves = works.some(({ kinds: changed }) => [...changed].includes('request'));
    return [
      { text: beginning },
      ...(reserves ? [this.#budgets.before] : []),
      ...(locks.length > 0 ? [{ text: locking, values: [locks] }] : []),
    ];
  }

  /** After the work of the group. The first statement returns the marks when the group changes records. */
  after(works: readonly Work[]): readonly Statement[] {
    const changed = new Set(works.flatMap((each) => [...each.kinds]));
    if (changed.size === 0) return [{ text: 'COMMIT' }];
    const events = works.flatMap((each) => each.events);
    const text = this.#end(events.length > 0, changed.has('request') || changed.has('machine'));
    const raised = [events.length, ...columns.map((kind) => (changed.has(kind) ? 1 : 0))];
    return [{ text, values: [...raised, ...(events.length > 0 ? columnsOf(events) : [])] }, { text: 'COMMIT' }];
  }

  /**
   * One statement raises the marks, inserts the events and adds to the counters. The others read the row of `state`
   * that was raised, which is locked then: no other group numbers events before this one is committed.
   */
  #end(tells: boolean, counts: boolean): string {
    const key = `${tells} ${counts}`;
    const known = this.#ends.get(key);
    if (known !== undefined) return known;
    const schema = this.#schema;
    const raising = columns.map((kind, i) => `${quoted(kind)} = ${quoted(kind)} + $${i + 2}::bigint`).join(', ');
    const given = (position: number, type: string) => `$${columns.length + 1 + position}::${type}[]`;
    const telling = `, told AS (INSERT INTO ${schema}.event (seq, request_id, type, at, doc)
      SELECT r.seq - $1::bigint + e.ord, e.request_id, e.type, e.at, e.doc FROM raised AS r,
        unnest(${given(1, 'text')}, ${given(2, 'text')}, ${given(3, 'bigint')}, ${given(4, 'text')}) WITH ORDINALITY AS e(request_id, type, at, doc, ord))`;
    const counting = `, counted AS (INSERT INTO ${schema}.counter AS c (of, sort, status, n)
      SELECT split_part(e, '|', 1), split_part(e, '|', 2), split_part(e, '|', 3), sum(split_part(e, '|', 4)::bigint)
      FROM raised, unnest(string_to_array(current_setting('muster.tally', true), ';')) AS e WHERE e <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (of, sort, status) DO UPDATE SET n = c.n + excluded.n)`;
    const text = `WITH raised AS (UPDATE ${schema}.state SET seq = seq + $1::bigint, ${raising} RETURNING seq, ${columnList})
      ${tells ? telling : ''}${counts ? counting : ''} SELECT ${columnList} FROM raised`;
    this.#ends.set(key, text);
    return text;
  }

  /** Reads the marks. */
  get marks(): Statement {
    return this.#marks;
  }

  /** The marks in a row of `state`. */
  read(row: Row = []): Marks {
    return new Map(columns.map((kind, i) => [kind, Number(row[i] ?? 0)]));
  }
}

/** The columns of new events. */
function columnsOf(events: readonly EventRow[]): Value[] {
  const column = (position: number) => events.map((row) => row[position] ?? null);
  return [textArray(column(0)), textArray(column(1)), numberArray(column(2)), textArray(column(3))];
}
