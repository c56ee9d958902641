import { kinds, quoted, type Kind } from '../../../core/index.ts';
import { beginning } from '../database/beginning.ts';
import { locking } from '../database/locks.ts';
import type { BudgetStatements } from '../database/budgets.ts';
import { numberArray, textArray } from '../database/array-value.ts';
import type { Row, Statement, Value } from '../database/connection.ts';
import type { Work } from './work.ts';

/** The kinds in the order of the columns of `state`. */
const columns = Object.keys(kinds) as Kind[];

/** The number of changes of each kind, after a group. */
export type Marks = ReadonlyMap<Kind, number>;

/** The statements around the work of a group, for the tables of a schema. */
export class GroupStatements {
  readonly #raise: string;
  readonly #events: string;
  readonly #tally: string;
  readonly #marks: Statement;
  readonly #budgets: BudgetStatements;

  constructor(schema: string, budgets: BudgetStatements) {
    this.#budgets = budgets;
    const list = columns.map(quoted).join(', ');
    const raised = columns.map((kind, i) => `${quoted(kind)} = ${quoted(kind)} + $${i + 2}::bigint`).join(', ');
    this.#raise = `UPDATE ${schema}.state SET seq = seq + $1::bigint, ${raised} RETURNING ${list}`;
    // The row of `state` is locked by now: no other group numbers events before this one is committed.
    this.#events = `INSERT INTO ${schema}.event (seq, request_id, type, at, doc)
      SELECT s.seq - $5::bigint + e.ord, e.request_id, e.type, e.at, e.doc FROM ${schema}.state AS s,
        unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS e(request_id, type, at, doc, ord)`;
    this.#tally = `INSERT INTO ${schema}.counter AS c (of, sort, status, n)
      SELECT split_part(e, '|', 1), split_part(e, '|', 2), split_part(e, '|', 3), sum(split_part(e, '|', 4)::bigint)
      FROM unnest(string_to_array(current_setting('muster.tally', true), ';')) AS e WHERE e <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (of, sort, status) DO UPDATE SET n = c.n + excluded.n`;
    this.#marks = { text: `SELECT ${list} FROM ${schema}.state`, values: [] };
  }

  /** Before the work of the group. */
  before(works: readonly Work[]): readonly Statement[] {
    const locks = [...new Set(works.flatMap((each) => each.locks))].toSorted((a, b) =>
      BigInt(a) < BigInt(b) ? -1 : 1,
    );
    const reserves = works.some(({ kinds: changed }) => [...changed].includes('request'));
    return [
      { text: beginning },
      ...(reserves ? this.#budgets.before : []),
      ...(locks.length > 0 ? [{ text: locking, values: [locks] }] : []),
    ];
  }

  /** After the work of the group. The first statement returns the marks when the group changes records. */
  after(works: readonly Work[]): readonly Statement[] {
    const changed = new Set(works.flatMap((each) => [...each.kinds]));
    if (changed.size === 0) return [{ text: 'COMMIT' }];
    const events = works.flatMap((each) => each.events);
    const counted = changed.has('request') || changed.has('machine');
    return [
      { text: this.#raise, values: [events.length, ...columns.map((kind) => (changed.has(kind) ? 1 : 0))] },
      ...(events.length > 0 ? [{ text: this.#events, values: [...columnsOf(events), events.length] }] : []),
      ...(counted ? [{ text: this.#tally, values: [] }] : []),
      { text: 'COMMIT' },
    ];
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
function columnsOf(events: readonly (readonly (string | number | null)[])[]): Value[] {
  const column = (position: number) => events.map((row) => row[position] ?? null);
  return [textArray(column(0)), textArray(column(1)), numberArray(column(2)), textArray(column(3))];
}
