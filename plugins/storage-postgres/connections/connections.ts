import type { ClientConfig } from 'pg';
import { Connection } from './connection.ts';
import type { Row, Statement } from './statement.ts';

/**
 * The connections of a store, opened when they are needed: one that commits, one that hears notifications, and the
 * others for everything else. A connection that failed is replaced at the next use.
 */
export class Connections {
  readonly #config: ClientConfig;
  readonly #max: number;
  #others: Connection[] = [];
  #opening = 0;
  #writer: Promise<Connection> | undefined;
  #closed = false;

  constructor(config: ClientConfig, max: number) {
    this.#config = config;
    this.#max = Math.max(1, max - 2);
  }

  /** Runs transactions on the connection that commits, in the order of the calls, see `Connection.transact`. */
  async write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const writer = await (this.#writer ??= Connection.open(this.#config, { prepares: true }));
    if (writer.usable) return writer.transact(statements);
    this.#writer = undefined;
    return this.write(statements);
  }

  /** Runs statements in one go on the connection with the least work. */
  async run(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return (await this.#least()).run(statements);
  }

  /** Opens a connection that hears notifications. It is the caller's. */
  listen(notified: (payload: string) => void): Promise<Connection> {
    return Connection.open(this.#config, { notified });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const writer = await this.#writer?.catch(() => undefined);
    await Promise.all([writer, ...this.#others].map((each) => each?.close()));
  }

  async #least(): Promise<Connection> {
    this.#others = this.#others.filter((each) => each.usable);
    const least = this.#others.toSorted((a, b) => a.load - b.load)[0];
    if (least && (least.load === 0 || this.#others.length + this.#opening >= this.#max)) return least;
    this.#opening += 1;
    try {
      const opened = await Connection.open(this.#config, { prepares: true });
      if (this.#closed) opened.destroy();
      this.#others.push(opened);
      return opened;
    } finally {
      this.#opening -= 1;
    }
  }
}
