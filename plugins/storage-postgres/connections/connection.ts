import { createHash } from 'node:crypto';
import type { Client, ClientConfig, QueryArrayResult } from 'pg';
import { times } from '../database/times.ts';

/** A bound value. An array is one value of an array type; a buffer is a value in the binary form of its type. */
export type Value = string | number | null | Buffer | readonly (string | number | null)[];

export interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
}

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];

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

/** Names of prepared statements by their text. */
const names = new Map<string, string>();
/** The most prepared statements. A text beyond them is prepared each time. */
const maxNames = 500;

/** The server does not know a name, or knows it already: a pooler gave this connection to another client meanwhile. */
const confused = new Set(['26000', '42P05']);
/** Whether statements have no names, because a pooler exchanges the connections behind them. */
let isPooled = false;

/**
 * The name of a statement is that of its text, in all processes: behind a pooler, one may find what another prepared.
 */
function nameOf(text: string): string | undefined {
  if (isPooled) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `muster_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  names.set(text, name);
  return name;
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
  private constructor(client: Client, { notified, silentMs = times.silentMs, prepares = false }: ConnectionUse) {
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
      for (const [index, { text, values }] of statements.entries()) {
        this.#asked.push(performance.now());
        const answer = (error: unknown, result?: QueryArrayResult) => {
          this.#asked.shift();
          if (error) failed ??= new FlightError(index, this.#why ?? error);
          if (confused.has(sqlState(error) ?? '')) isPooled = true;
          results[index] = result?.rows ?? [];
          if (this.#asked.length === 0) this.#rest();
          if (--missing > 0) return;
          if (failed) reject(failed);
          else resolve(results);
        };
        const name = values && this.#prepares && nameOf(text);
        this.#client.query(
          { text, rowMode: 'array', ...(values ? { values: values as unknown[] } : {}), ...(name ? { name } : {}) },
          answer as never,
        );
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
