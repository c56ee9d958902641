import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net';
import { withOwnerOnlyMode } from '../http/listen-socket.ts';

/** A connection that nobody has read from yet. */
interface PendingConnection {
  readonly id: number;
  readonly socket: Socket;
  /** It came over the Unix socket. */
  readonly local: boolean;
}

/** Why a connection did not reach a worker: the worker is gone, or the connection is. */
export type Loss = 'worker' | 'connection';

/** A worker that takes connections. Says later, with `taken`, that it has one; `failed` when it will not have it. */
export type SendToWorker = (id: number, local: boolean, socket: Socket, failed: (loss: Loss) => void) => void;

/**
 * Accepts connections and deals them out to the workers in turn. Each is kept until its worker has it: one that was on its way to a worker that died
 * goes to another, and while there is no worker at all they wait. (What node:cluster hands to a worker that dies at that moment is never answered and
 * never closed.)
 */
export class ConnectionBalancer {
  readonly #servers: Server[] = [];
  /** The next one in turn is the first. */
  readonly #hands = new Map<number, SendToWorker>();
  readonly #dealt = new Map<number, { readonly connection: PendingConnection; readonly worker: number }>();
  #waiting: PendingConnection[] = [];
  #cards = 0;
  #closed = false;

  /** Rejects with what the system says. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    const server = await this.#listen({ host, port }, false);
    return server.address() as AddressInfo;
  }

  /** Only the owner may use it. */
  async listenOnSocket(path: string): Promise<void> {
    await withOwnerOnlyMode(() => this.#listen({ path }, true));
  }

  /** From now on this worker takes its turn. */
  join(worker: number, hand: SendToWorker): void {
    this.#hands.set(worker, hand);
    for (const connection of this.#waiting.splice(0)) this.#deal(connection);
  }

  /** The worker has the connection: the copy here is closed, which the caller does not notice. */
  taken(id: number): void {
    this.#dealt.get(id)?.connection.socket.destroy();
    this.#dealt.delete(id);
  }

  /** The worker takes no more; what it has not taken goes to others. */
  leave(worker: number): void {
    this.#hands.delete(worker);
    for (const dealt of this.#dealt.values()) if (dealt.worker === worker) this.#again(dealt.connection);
  }

  /** Accepts no more. What is dealt out already stays with the workers. */
  close(): void {
    this.#closed = true;
    for (const server of this.#servers) server.close();
    for (const { socket } of this.#waiting.splice(0)) socket.destroy();
  }

  #listen(where: ListenOptions, local: boolean): Promise<Server> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      // Else node would tell the worker of this server, and wait for the worker at the end of it.
      (socket as { server?: unknown }).server = undefined;
      this.#deal({ id: this.#cards++, socket, local });
    });
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => resolve(server.off('error', reject)));
    });
  }

  #deal(connection: PendingConnection): void {
    const [next] = this.#hands;
    if (!next) {
      this.#waiting.push(connection);
      return;
    }
    const [worker, hand] = next;
    this.#hands.delete(worker);
    this.#hands.set(worker, hand);
    this.#dealt.set(connection.id, { connection, worker });
    hand(connection.id, connection.local, connection.socket, (loss) => {
      if (loss === 'connection') return this.taken(connection.id);
      // Until its end is heard of, a worker that died would be dealt to again.
      if (this.#hands.get(worker) === hand) this.#hands.delete(worker);
      this.#again(connection);
    });
  }

  #again(connection: PendingConnection): void {
    if (!this.#dealt.delete(connection.id)) return;
    if (this.#closed || connection.socket.destroyed) connection.socket.destroy();
    else this.#deal(connection);
  }
}
