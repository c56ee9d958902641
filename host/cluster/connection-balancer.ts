import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net';
import { withOwnerOnlyMode } from '../http/listen-socket.ts';

/** An accepted connection that no process has read from. */
interface PendingConnection {
  readonly id: number;
  readonly socket: Socket;
  /** The connection came over the Unix socket. */
  readonly local: boolean;
}

/** Why a connection did not reach a worker: the worker has ended, or the connection is closed. */
export type Loss = 'worker' | 'connection';

/**
 * Sends a connection to a worker. The worker confirms it through `taken`; `failed` reports that the transfer failed.
 */
export type SendToWorker = (id: number, local: boolean, socket: Socket, failed: (loss: Loss) => void) => void;

/**
 * Accepts connections and distributes them to the workers in round-robin order. Keeps each connection until its worker
 * confirms it: a connection on its way to a worker that died goes to another worker, and connections wait while there
 * is no worker. (node:cluster never answers or closes a connection that it sends to a worker which dies at that
 * moment.)
 */
export class ConnectionBalancer {
  readonly #servers: Server[] = [];
  /** The workers, in order: the first is the next. */
  readonly #workers = new Map<number, SendToWorker>();
  readonly #sent = new Map<number, { readonly connection: PendingConnection; readonly worker: number }>();
  #waiting: PendingConnection[] = [];
  #nextId = 0;
  #closed = false;

  /** Listens on a TCP port. Rejects with the error of the operating system. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    const server = await this.#listen({ host, port }, false);
    return server.address() as AddressInfo;
  }

  /** Listens on a Unix socket that only its owner can use. */
  async listenOnSocket(path: string): Promise<void> {
    await withOwnerOnlyMode(() => this.#listen({ path }, true));
  }

  /** Adds a worker. Waiting connections are sent. */
  join(worker: number, send: SendToWorker): void {
    this.#workers.set(worker, send);
    for (const connection of this.#waiting.splice(0)) this.#send(connection);
  }

  /**
   * Confirms that the worker holds the connection: closes the copy in this process, which does not affect the caller.
   */
  taken(id: number): void {
    this.#sent.get(id)?.connection.socket.destroy();
    this.#sent.delete(id);
  }

  /** Removes a worker. Its unconfirmed connections go to other workers. */
  leave(worker: number): void {
    this.#workers.delete(worker);
    for (const sent of this.#sent.values()) if (sent.worker === worker) this.#resend(sent.connection);
  }

  /** Stops listening. Connections that were sent stay with the workers. */
  close(): void {
    this.#closed = true;
    for (const server of this.#servers) server.close();
    for (const { socket } of this.#waiting.splice(0)) socket.destroy();
  }

  #listen(where: ListenOptions, local: boolean): Promise<Server> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      // Otherwise Node would inform the worker of this server, and wait for the worker when the server closes.
      (socket as { server?: unknown }).server = undefined;
      this.#send({ id: this.#nextId++, socket, local });
    });
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => resolve(server.off('error', reject)));
    });
  }

  #send(connection: PendingConnection): void {
    const [next] = this.#workers;
    if (!next) {
      this.#waiting.push(connection);
      return;
    }
    const [worker, send] = next;
    this.#workers.delete(worker);
    this.#workers.set(worker, send);
    this.#sent.set(connection.id, { connection, worker });
    send(connection.id, connection.local, connection.socket, (loss) => {
      if (loss === 'connection') return this.taken(connection.id);
      // Otherwise a worker that died would get connections until its exit event.
      if (this.#workers.get(worker) === send) this.#workers.delete(worker);
      this.#resend(connection);
    });
  }

  #resend(connection: PendingConnection): void {
    if (!this.#sent.delete(connection.id)) return;
    if (this.#closed || connection.socket.destroyed) connection.socket.destroy();
    else this.#send(connection);
  }
}
