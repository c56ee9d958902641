import type { CalledFor } from '../../../core/providers/guard/called-for.ts';

/** The provider instance or event sink for which plugin code runs, and the request when it runs for a single one. */
export interface CallOwner {
  readonly name: string;
  readonly of?: CalledFor;
}

/** Maximum length of a request id and a template id together, in bytes. */
const maxTextBytes = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A slot in shared memory that holds the index of a name and the request of the call. */
export class CallOwnerSlot {
  static readonly bytes = 2 * Int32Array.BYTES_PER_ELEMENT + maxTextBytes;
  /** The index of the name plus 1, or 0 for none; and the length of the text. */
  readonly #cells: Int32Array;
  readonly #text: Uint8Array;
  #of: CalledFor | undefined;

  constructor(memory: SharedArrayBuffer, at: number) {
    this.#cells = new Int32Array(memory, at, 2);
    this.#text = new Uint8Array(memory, at + this.#cells.byteLength, maxTextBytes);
  }

  /** Writes the slot. Returns the previous content for `restore`. */
  write(place: number | undefined, of: CalledFor | undefined): Readonly<{ cell: number; of: CalledFor | undefined }> {
    const before = { cell: Atomics.load(this.#cells, 0), of: this.#of };
    this.#set(place === undefined ? 0 : place + 1, of);
    return before;
  }

  restore({ cell, of }: ReturnType<CallOwnerSlot['write']>): void {
    this.#set(cell, of);
  }

  read(names: readonly string[]): CallOwner | undefined {
    const name = names[Atomics.load(this.#cells, 0) - 1];
    if (name === undefined) return undefined;
    const [request_id = '', template_id = ''] = decoder
      .decode(this.#text.slice(0, Atomics.load(this.#cells, 1)))
      .split('\n');
    return { name, ...(request_id === '' ? {} : { of: { request_id, template_id } }) };
  }

  #set(cell: number, of: CalledFor | undefined): void {
    // Cleared first, so that a reader never combines a name with the request of another one.
    Atomics.store(this.#cells, 0, 0);
    if (of !== this.#of) {
      this.#of = of;
      // TextEncoder cannot write into shared memory.
      const text = of
        ? encoder.encode(`${of.request_id}\n${of.template_id}`).subarray(0, maxTextBytes)
        : new Uint8Array();
      this.#text.set(text);
      Atomics.store(this.#cells, 1, text.length);
    }
    Atomics.store(this.#cells, 0, cell);
  }
}
