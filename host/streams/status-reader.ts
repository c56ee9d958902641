import { comment, greeting, idLine } from './event-message.ts';
import type { OpenStream } from './open-stream.ts';
import { SharedBytes } from './shared-bytes.ts';

/** A status document as it is sent to its readers. */
export interface StatusMessage {
  readonly version: number;
  /** The request has ended: no further document follows. */
  readonly ended: boolean;
  /** JSON, or the text of a scheduler strategy. */
  readonly text: string;
}

const messages = new WeakMap<StatusMessage, SharedBytes>();

/** The message as bytes, which all readers share. */
function bytesOf(message: StatusMessage): SharedBytes {
  let bytes = messages.get(message);
  if (!bytes) {
    const lines = message.text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    bytes = new SharedBytes(Buffer.from(`${idLine(message.version)}${lines.join('')}\n`));
    messages.set(message, bytes);
  }
  return bytes;
}

/** A reader of one status document. While it takes nothing, newer documents replace those that it did not get. */
export class StatusReader {
  readonly #stream: OpenStream;
  #sent: StatusMessage | undefined;
  #latest: StatusMessage;

  constructor(stream: OpenStream, first: StatusMessage) {
    this.#stream = stream;
    this.#latest = first;
    stream.beat = () => `${comment}\n`;
    stream.onDrain = () => this.#send();
    stream.write(greeting);
  }

  /** Sends a document, at once or when the reader took the one before. */
  offer(message: StatusMessage): void {
    this.#latest = message;
    if (!this.#stream.blocked) this.#send();
  }

  /** Nothing more follows. */
  end(): void {
    this.#stream.end();
  }

  #send(): void {
    if (this.#stream.closed) return;
    if (this.#sent?.ended) return this.end();
    if (this.#sent === this.#latest) return;
    this.#sent = this.#latest;
    this.#stream.write(bytesOf(this.#latest));
  }
}
