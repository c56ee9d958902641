import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../core/contract/log.ts';
import { dropLog } from '../http/connection-bound.ts';
import { asLocalCall } from '../http/local-call.ts';
import { drainMs } from '../http/serve-http.ts';

// As in listen-socket: importing node:http by name costs memory for nothing.
const { createServer } = process.getBuiltinModule('node:http');

/** Serves connections that another process accepted. */
export class ConnectionReceiver {
  readonly #app: FastifyInstance;
  readonly #local: Server;
  readonly #open = new Set<Socket>();
  readonly #most: number;
  readonly #dropped: () => void;

  /** The app is ready and listens nowhere. Beyond so many connections, those over TCP are closed at once. */
  constructor(app: FastifyInstance, most: number, log: Log) {
    this.#app = app;
    this.#most = most;
    this.#dropped = dropLog(most, log);
    const serve = (request: IncomingMessage, response: ServerResponse) => app.routing(asLocalCall(request), response);
    this.#local = createServer({ requestTimeout: 60_000 }, serve);
    // Only a server that listens keeps the time of its calls and knows which connections are idle.
    for (const server of this.#servers()) server.emit('listening');
  }

  take(socket: Socket, local: boolean): void {
    if (!local && this.#open.size >= this.#most) {
      socket.destroy();
      return this.#dropped();
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    (local ? this.#local : this.#app.server).emit('connection', socket);
    socket.resume();
  }

  /** Lets calls under way end. Nothing more is taken by then. */
  async close(log: Log): Promise<void> {
    const closing = this.#app.close();
    const late = performance.now() + drainMs;
    while (this.#open.size > 0 && performance.now() < late) {
      // A connection whose last call was answered would stay open for the next one.
      for (const server of this.#servers()) server.closeIdleConnections();
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    if (this.#open.size > 0) log.warn({}, `Calls were still under way after ${drainMs / 1000} s; their connections are closed.`);
    for (const socket of this.#open) socket.destroy();
    await closing;
  }

  #servers(): readonly Server[] {
    return [this.#app.server, this.#local];
  }
}
