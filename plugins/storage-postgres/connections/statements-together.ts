import type pg from 'pg';
import { preparedName } from './prepared-names.ts';
import type { Row, Statement, Value } from './statement.ts';

/** The protocol below the client of pg, whose types leave it out. */
interface Wire {
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { readonly text: string; readonly name: string }): void;
  bind(bound: {
    readonly statement: string;
    readonly values: readonly Value[];
    readonly valueMapper: (value: Value) => string | Buffer | null;
  }): void;
  execute(): void;
  sync(): void;
}

/**
 * Called once: with the rows of all statements, or with an error and the rows of the statements before the one that
 * failed.
 */
export type Answered = (error: unknown, results: readonly (readonly Row[])[]) => void;

interface Options {
  readonly statements: readonly Statement[];
  /** Whether statements with values are prepared once. */
  readonly prepares: boolean;
  readonly answered: Answered;
}

let known: (new (options: Options) => pg.Query) | undefined;

/**
 * A class of queries that hold several statements. The server executes none behind the one that failed, and answers
 * when it reached the end of all. Values of rows are texts.
 *
 * The client of pg would end each statement with a message that the server answers at once, which costs both sides a
 * call of their systems, and would ask for the columns of each result.
 */
export function statementsTogether({ Query }: typeof pg): new (options: Options) => pg.Query {
  // The client accepts only queries of its own class while others wait behind them.
  known ??= class extends (Query as unknown as new (config: object) => { callback: Answered }) {
    readonly #statements: readonly Statement[];
    readonly #names: readonly string[];
    readonly #results: Row[][] = [];
    #rows: Row[] = [];

    constructor({ statements, prepares, answered }: Options) {
      super({ callback: answered });
      this.#statements = statements;
      this.#names = statements.map((each) => (prepares && preparedName(each)) || '');
    }

    /** The client stores `text` as prepared under `name`, when the server has parsed the statement that is next. */
    get name(): string {
      return this.#names[this.#results.length] ?? '';
    }

    /** The constructor of the client's class sets it. */
    set name(_: unknown) {}

    get text(): string {
      return this.#statements[this.#results.length]?.text ?? '';
    }

    set text(_: unknown) {}

    submit(wire: Wire): null {
      for (const [index, { text, values = [] }] of this.#statements.entries()) {
        const name = this.#names[index] ?? '';
        if (name === '' || (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) === undefined) {
          wire.parse({ text, name });
          if (name !== '') wire.submittedNamedStatements[name] = text;
        }
        wire.bind({ statement: name, values, valueMapper: inProtocol });
        wire.execute();
      }
      wire.sync();
      return null;
    }

    handleDataRow({ fields }: { readonly fields: Row }): void {
      this.#rows.push(fields);
    }

    handleCommandComplete(): void {
      this.#results.push(this.#rows);
      this.#rows = [];
    }

    handleError(error: unknown, wire: Wire): void {
      // What follows the failed statement was not prepared.
      for (const name of this.#names) delete wire.submittedNamedStatements[name];
      this.callback(error, this.#results);
    }

    handleReadyForQuery(): void {
      this.callback(undefined, this.#results);
    }
  } as unknown as new (
    options: Options,
  ) => pg.Query;
  return known;
}

/** A value in the textual form of the protocol; a buffer is in the binary form already. */
function inProtocol(value: Value): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return typeof value === 'number' ? String(value) : `{${value.map(element).join()}}`;
}

const element = (value: string | number | null): string | number =>
  typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : (value ?? 'NULL');
