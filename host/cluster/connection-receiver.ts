import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../core/contract/log.ts';
import { dropLog } from '../http/connection-bound.ts';
import { asLocalCall } from '../http/local-call.ts';
import { drainMs } from '../http/serve-http.ts';

// As in listen-socket: a static import of node:http costs memory for unused exports.
const { createServer } = process.getBuiltinModule('node:http');

/** Serves connections that another process accepted. */
export class ConnectionReceiver {
  readonly #app: FastifyInstance;
  readonly #local: Server;
  readonly #open = new Set<Socket>();
  readonly #limit: number;
  readonly #dropped: () => void;

  /** `app` is ready and does not listen. TCP connections beyond `most` open ones are closed at once. */
  constructor(app: FastifyInstance, most: number, log: Log) {
    this.#app = app;
    this.#limit = most;
    this.#dropped = dropLog(most, log);
    const serve = (request: IncomingMessage, response: ServerResponse) => app.routing(asLocalCall(request), response);
    this.#local = createServer({ requestTimeout: 60_000 }, serve);
    // Node enforces the time-outs of calls, and knows idle connections, only after the event `listening`.
    for (const server of this.#servers()) server.emit('listening');
  }

  take(socket: Socket, local: boolean): void {
    if (!local && this.#open.size >= this.#limit) {
      socket.destroy();
      return this.#dropped();
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    (local ? this.#local : this.#app.server).emit('connection', socket);
    socket.resume();
  }

  /** Waits for the open calls, at most `drainMs`. The caller sends no more connections. */
  async close(log: Log): Promise<void> {
    const closing = this.#app.close();
    const deadline = performance.now() + drainMs;
    while (this.#open.size > 0 && performance.now() < deadline) {
      // A keep-alive connection would stay open after its last answer.
      for (const server of this.#servers()) server.closeIdleConnections();
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    if (this.#open.size > 0)
      log.warn({}, `Calls were still open after ${drainMs / 1000} s; the server closes their connections.`);
    for (const socket of this.#open) socket.destroy();
    await closing;
  }

  #servers(): readonly Server[] {
    return [this.#app.server, this.#local];
  }
}
