import { setTimeout as wait } from 'node:timers/promises';
import type { Dialect, Seen } from '../support/dialect.ts';
import { Witness } from './witness.ts';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** Longer than all deaths of a play take, on a machine that has other things to do. */
const patienceMs = 180_000;
const answerMs = 4_000;

/** A caller as it should be: who gets no answer asks again, with the same key, until somebody answers. */
export class Caller {
  readonly dialect: Dialect;
  readonly witness: Witness;
  /** Where the broker answers that lives now. */
  url: string | undefined;
  #keys = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    this.witness = new Witness(dialect);
  }

  /** The first whole answer that is not 503. */
  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.#once(method, path, body, headers);
      if (answer !== undefined && answer.status !== 503) return answer;
      if (performance.now() > end) throw new Error(`${method} ${path} got no answer in ${patienceMs / 1000} s: ${JSON.stringify(answer)}`);
      await wait(20);
    }
  }

  /** The id of a request, acknowledged. */
  async ask(template_id: string, machine_count: number): Promise<string> {
    const answer = await this.call('POST', '/machines/request', this.dialect.ask(template_id, machine_count), this.#key());
    return this.dialect.requestId(done(answer));
  }

  /** The id of a return, acknowledged. */
  async giveBack(machine_ids: readonly string[]): Promise<string> {
    return this.dialect.requestId(done(await this.call('POST', '/machines/return', { machine_ids }, this.#key())));
  }

  /** Whether the cancel was accepted; not when it came too late. */
  async cancel(request_id: string): Promise<boolean> {
    const answer = await this.call('DELETE', `/requests/${request_id}`);
    if (answer.status === 400 || answer.status === 409) return false;
    done(answer);
    return true;
  }

  async seen(request_id: string): Promise<Seen> {
    const seen = this.dialect.seen(done(await this.call('GET', `/requests/${request_id}/status`)));
    this.witness.see(seen);
    return seen;
  }

  /** Waits for the end of a request or return. */
  async ended(request_id: string): Promise<Seen> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const seen = await this.seen(request_id);
      if (this.dialect.ended.has(seen.status)) return seen;
      if (performance.now() > end) throw new Error(`${request_id} is ${seen.status} after ${patienceMs / 1000} s`);
      await wait(50);
    }
  }

  async #once(method: string, path: string, body: object | undefined, headers: Record<string, string>): Promise<Answer | undefined> {
    if (this.url === undefined) return undefined;
    try {
      const answer = await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: { connection: 'close', ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        // One that is frozen keeps its connections and says nothing.
        signal: AbortSignal.timeout(answerMs),
      });
      return { status: answer.status, body: await answer.json() };
    } catch {
      // It died before it answered, or in the midst of it.
      return undefined;
    }
  }

  #key(): Record<string, string> {
    return { 'idempotency-key': `key-${this.#keys++}` };
  }
}

function done({ status, body }: Answer): any {
  if (status >= 300) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`);
  return body;
}
