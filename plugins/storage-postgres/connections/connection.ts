import type { Client, ClientConfig, QueryArrayResult } from 'pg';
import { chunks } from '../../../core/index.ts';
import { times } from '../database/times.ts';
import { forgetNamesBehindPooler, preparedName } from './prepared-names.ts';
import type { Row, Statement } from './statement.ts';
import { statementsTogether } from './statements-together.ts';

/** The first statement of a flight that failed. */
export class FlightError extends Error {
  /** The position of the statement in the flight. */
  readonly index: number;
  /** Whether the answer came from the database: that statement, and none behind it, had an effect. */
  readonly answered: boolean;

  constructor(index: number, cause: unknown) {
    super('A statement failed.', { cause });
    this.index = index;
    this.answered = sqlState(cause) !== undefined;
  }
}

/** The SQLSTATE of an error that the database answered. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** How a connection is used. */
export interface ConnectionUse {
  /** Called with the payload of each notification. */
  readonly notified?: (payload: string) => void;
  /** The longest wait for an answer. */
  readonly silentMs?: number;
  /** Whether statements with values are prepared once. One that a pooler confused is to be repeated. */
  readonly prepares?: boolean;
}

/** The client of pg, with what its types leave out. */
interface RawClient {
  ref(): void;
  unref(): void;
}

const late = new Error(`no connection within ${times.connectMs / 1_000} s`);

/**
 * The most statements that are answered together. A silent database is found by the time since the last answer: a few
 * statements must not take that long.
 */
const partSize = 20;

/** Types whose values are numbers: int8, int2, int4, float8, numeric. */
const numeric = new Set([20, 21, 23, 701, 1700]);
const parserOf = (type: number) =>
  numeric.has(type) ? Number : type === 16 ? (text: string) => text === 't' : (text: string) => text;

const limits = `SELECT set_config('statement_timeout', '${times.statementMs}', false), set_config('lock_timeout', '${times.lockMs}', false),
  set_config('idle_in_transaction_session_timeout', '${times.idleInTransactionMs}', false)`;

/**
 * One connection. Statements are sent without waiting for the answers of earlier ones, and are answered in order. It
 * keeps the process alive only while an answer is missing. A connection that failed stays unusable.
 */
export class Connection {
  readonly #client: Client & RawClient;
  readonly #connected: Promise<void>;
  readonly #Together: ReturnType<typeof statementsTogether>;
  readonly #silentMs: number;
  readonly #prepares: boolean;
  /** Resolves when the connection has become unusable. */
  readonly ended: Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  /** Why this side ended the connection. */
  #why: Error | undefined;
  #isConnected = false;
  #usable = true;
  /** When the oldest missing answer was asked for. */
  readonly #asked: number[] = [];
  #watch: NodeJS.Timeout | undefined;
  #suspect = -Infinity;

  /** Connects at once. */
  private constructor(
    client: Client,
    Together: ReturnType<typeof statementsTogether>,
    { notified, silentMs = times.silentMs, prepares = false }: ConnectionUse,
  ) {
    this.#Together = Together;
    this.#silentMs = silentMs;
    this.#prepares = prepares;
    this.#client = client as Client & RawClient;
    this.ended = this.#ended.promise;
    client.on('error', () => this.destroy());
    client.on('end', () => this.destroy());
    if (notified) client.on('notification', ({ payload }) => notified(payload ?? ''));
    this.#connected = client.connect().then(
      () => {
        this.#isConnected = true;
        client.query(limits, () => {});
        this.#rest();
      },
      (error: unknown) => {
        this.#why = (error as Error).message === 'timeout expired' ? late : (error as Error);
        this.destroy();
        throw this.#why;
      },
    );
    this.#connected.catch(() => {});
  }

  static async open(config: ClientConfig, use: ConnectionUse = {}): Promise<Connection> {
    const { default: pg } = await import('pg');
    const types = { getTypeParser: parserOf as never };
    return new Connection(
      new pg.Client({ ...config, pipeline: true, types, connectionTimeoutMillis: times.connectMs } as ClientConfig),
      statementsTogether(pg),
      use,
    );
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** How many answers are missing. */
  get load(): number {
    return this.#asked.length;
  }

  /**
   * Sends the statements together, and resolves with the rows of each. Rejects with a FlightError for the first that
   * failed, when all are answered; with another error when nothing was sent.
   */
  async run(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (!this.#isConnected) await this.#connected;
    if (!this.#usable) throw this.#why ?? new Error('the connection ended');
    return new Promise((resolve, reject) => {
      const results: (readonly Row[])[] = [];
      let failed: FlightError | undefined;
      let missing = statements.length;
      if (missing === 0) resolve(results);
      if (this.#asked.length === 0) this.#work();
      for (const [index, statement] of statements.entries()) {
        this.#asked.push(performance.now());
        const answer = (error: unknown, result?: QueryArrayResult) => {
          this.#asked.shift();
          if (error) failed ??= new FlightError(index, this.#why ?? error);
          forgetNamesBehindPooler(sqlState(error));
          results[index] = result?.rows ?? [];
          if (this.#asked.length === 0) this.#rest();
          if (--missing > 0) return;
          if (failed) reject(failed);
          else resolve(results);
        };
        const { text, values } = statement;
        const name = this.#prepares && preparedName(statement);
        this.#client.query(
          { text, rowMode: 'array', ...(values ? { values: values as unknown[] } : {}), ...(name ? { name } : {}) },
          answer as never,
        );
      }
    });
  }

  /**
   * Sends a transaction, from its BEGIN to its COMMIT, and resolves or rejects like `run`. The last statement is no
   * part of the others: where one of them failed it is executed too, and rolls back. Values of rows are texts.
   */
  async transact(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (!this.#isConnected) await this.#connected;
    if (!this.#usable) throw this.#why ?? new Error('the connection ended');
    const { stream } = this.#client.connection;
    const parts = [...chunks(statements.slice(0, -1), partSize), statements.slice(-1)];
    return new Promise((resolve, reject) => {
      const results: (readonly Row[])[] = [];
      let failed: FlightError | undefined;
      let missing = parts.length;
      if (this.#asked.length === 0) this.#work();
      stream.cork();
      try {
        for (const [index, part] of parts.entries()) {
          const before = index === parts.length - 1 ? statements.length - 1 : index * partSize;
          this.#asked.push(performance.now());
          const answered = (error: unknown, rows: readonly (readonly Row[])[]) => {
            this.#asked.shift();
            // Later parts fail because of the first one, also with a name that was not prepared therefore.
            if (error && !failed) {
              failed = new FlightError(before + rows.length, this.#why ?? error);
              forgetNamesBehindPooler(sqlState(error));
            }
            results.push(...rows);
            if (this.#asked.length === 0) this.#rest();
            if (--missing > 0) return;
            if (failed) reject(failed);
            else resolve(results);
          };
          this.#client.query(new this.#Together({ statements: part, prepares: this.#prepares, answered }));
        }
      } finally {
        stream.uncork();
      }
    });
  }

  /** Waits for the missing answers and ends the connection. A silent database delays this by a few seconds. */
  async close(): Promise<void> {
    await this.#connected.catch(() => {});
    if (!this.#usable) return;
    const patience = setTimeout(() => this.destroy(), times.silentMs);
    this.#client.ref();
    await this.#client.end().catch(() => {});
    clearTimeout(patience);
    this.destroy();
  }

  /** Ends the connection at once; missing answers fail. */
  destroy(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (!this.#usable) return;
    this.#usable = false;
    this.#ended.resolve();
    // The client has no method that ends a connection without a farewell, which a silent database never takes.
    this.#client.connection.stream.destroy();
  }

  #work(): void {
    this.#client.ref();
    this.#watch ??= setInterval(() => {
      const [oldest = Infinity] = this.#asked;
      if (performance.now() - oldest <= this.#silentMs) return;
      // After a pause of this process the answer may be here and not read yet: it gets one more interval.
      if (this.#suspect !== oldest) {
        this.#suspect = oldest;
        return;
      }
      // A silent database is as good as an absent one.
      this.#why = new Error(`no answer for ${this.#silentMs / 1_000} s`);
      this.destroy();
    }, this.#silentMs / 10);
  }

  #rest(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (this.#asked.length === 0 && this.#usable) this.#client.unref();
  }
}
