import type { CalledFor } from '../../../core/providers/guard/called-for.ts';

/** In whose name code of a plugin runs, and for which request, where it is called for one alone. */
export interface Whose {
  readonly name: string;
  readonly of?: CalledFor;
}

/** Ids of a request and of a template are shorter together. */
const mostText = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One place of shared memory that holds a name, by its number, and the request that it is called for. */
export class MarkedName {
  static readonly bytes = 2 * Int32Array.BYTES_PER_ELEMENT + mostText;
  /** The number of the name and 1, 0 for nobody; the length of the text. */
  readonly #cells: Int32Array;
  readonly #text: Uint8Array;
  #of: CalledFor | undefined;

  constructor(memory: SharedArrayBuffer, at: number) {
    this.#cells = new Int32Array(memory, at, 2);
    this.#text = new Uint8Array(memory, at + this.#cells.byteLength, mostText);
  }

  /** Gives what stood there before. */
  write(place: number | undefined, of: CalledFor | undefined): Readonly<{ cell: number; of: CalledFor | undefined }> {
    const before = { cell: Atomics.load(this.#cells, 0), of: this.#of };
    this.#set(place === undefined ? 0 : place + 1, of);
    return before;
  }

  restore({ cell, of }: ReturnType<MarkedName['write']>): void {
    this.#set(cell, of);
  }

  read(names: readonly string[]): Whose | undefined {
    const name = names[Atomics.load(this.#cells, 0) - 1];
    if (name === undefined) return undefined;
    const [request_id = '', template_id = ''] = decoder.decode(this.#text.slice(0, Atomics.load(this.#cells, 1))).split('\n');
    return { name, ...(request_id === '' ? {} : { of: { request_id, template_id } }) };
  }

  #set(cell: number, of: CalledFor | undefined): void {
    // First nobody, so that no name is ever read with another's request.
    Atomics.store(this.#cells, 0, 0);
    if (of !== this.#of) {
      this.#of = of;
      // Into memory that is shared nothing can be encoded.
      const text = of ? encoder.encode(`${of.request_id}\n${of.template_id}`).subarray(0, mostText) : new Uint8Array();
      this.#text.set(text);
      Atomics.store(this.#cells, 1, text.length);
    }
    Atomics.store(this.#cells, 0, cell);
  }
}
