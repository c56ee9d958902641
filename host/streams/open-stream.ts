import type { ServerResponse } from 'node:http';
import { GzipBody } from './gzip-body.ts';
import { SharedBytes } from './shared-bytes.ts';
import type { Turns } from './turns.ts';

/** How long a reader may take nothing, in milliseconds. */
const unreadMs = 30_000;

export interface StreamParts {
  readonly response: ServerResponse;
  /** Monotonic milliseconds. */
  now(): number;
  readonly turns: Turns;
  /** Whether the answer is compressed. Default false. */
  readonly gzip?: boolean;
  /** Called once, when the stream is over. `cut`: why the server ended it. */
  closed(cut: string | undefined): void;
}

/** One open answer of server-sent events. */
export class OpenStream {
  readonly #response: ServerResponse;
  readonly #now: () => number;
  readonly #turns: Turns;
  /** Undefined: the answer is not compressed. */
  readonly #body: GzipBody | undefined;
  /** Since when something waits for the reader. */
  #blockedSince: number | undefined;
  #pending = 0;
  #closed = false;
  #cut: string | undefined;
  /** Called in a turn of its own, when the reader took everything that was sent. */
  onDrain: () => void = () => undefined;
  /** Called once, when the stream is over. */
  onClose: () => void = () => undefined;
  /** Returns the text to send now and then; without data it is no message. */
  beat: () => string = () => '';

  constructor({ response, now, turns, gzip = false, closed }: StreamParts) {
    this.#response = response;
    this.#now = now;
    this.#turns = turns;
    this.#body = gzip ? new GzipBody() : undefined;
    // A stream is open longer than any call: it ends by what its reader takes, and dead connections are noticed.
    response.socket?.setTimeout(0);
    response.socket?.setKeepAlive(true, unreadMs);
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#closed = true;
      closed(this.#cut);
      this.onClose();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the operating system has not taken yet what was sent: it waits for the reader. */
  get blocked(): boolean {
    return this.#blockedSince !== undefined;
  }

  /** How many bytes wait in this process for the reader. */
  get waiting(): number {
    return this.#response.writableLength;
  }

  /** Sends bytes. `onDrain` is called when the operating system took them. */
  write(bytes: SharedBytes | Uint8Array | string): void {
    if (this.#closed) return;
    this.#pending += 1;
    this.#blockedSince ??= this.#now();
    // Node would gather the parts of a message until the end of the turn, and then write to all sockets in one go.
    const { socket } = this.#response;
    socket?.cork();
    this.#response.write(this.#encoded(bytes), this.#taken);
    socket?.uncork();
  }

  #encoded(bytes: SharedBytes | Uint8Array | string): Uint8Array | string {
    if (bytes instanceof SharedBytes) return this.#body?.shared(bytes) ?? bytes.plain;
    return this.#body?.stored(typeof bytes === 'string' ? Buffer.from(bytes) : bytes) ?? bytes;
  }

  readonly #taken = (): void => {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    this.#blockedSince = undefined;
    // Called at once, a reader that takes much would be written to again and again before any other work runs.
    this.#turns.add(this.#drained);
  };

  readonly #drained = (): void => {
    if (!this.#closed && this.#pending === 0) this.onDrain();
  };

  /** Keeps the connection open, or ends it when the reader took nothing for too long. */
  keep(): void {
    if (this.#closed) return;
    if (this.#blockedSince === undefined) this.write(this.beat());
    else if (this.#now() - this.#blockedSince >= unreadMs) this.cut('unread');
  }

  /** Ends the connection without waiting for the reader, which may resume. */
  cut(why: string): void {
    if (this.#closed) return;
    this.#cut = why;
    this.#response.destroy();
  }

  /** Ends the answer with a last text. A reader that has not taken what was sent is not waited for. */
  end(last = ''): void {
    if (this.#closed) return;
    if (this.blocked) this.cut('ended');
    else if (this.#body) this.#response.end(Buffer.concat([this.#body.stored(Buffer.from(last)), this.#body.end()]));
    else this.#response.end(last);
  }
}
