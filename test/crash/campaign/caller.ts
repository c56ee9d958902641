import { setTimeout as wait } from 'node:timers/promises';
import type { Dialect, Seen } from '../support/dialect.ts';
import type { Entry } from './excess.ts';
import { Witness } from './witness.ts';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export interface ConsistencyGrace {
  /** Longer than all deaths of a play take. */
  readonly patience_ms: number;
  /** For one answer. One that is frozen keeps its connections and says nothing. */
  readonly answer_ms: number;
}

/** A caller as it should be: who gets no answer asks again, with the same key, until somebody answers. */
export class Caller {
  readonly dialect: Dialect;
  readonly witness: Witness;
  /** Where the brokers answer that live now. Each call goes to the next one. */
  urls: () => readonly string[] = () => [];
  /** Which of them may be asked for machines and told templates. */
  accepts: (url: string) => boolean = () => true;
  /** What was acknowledged, by request. */
  readonly book = new Map<string, Entry>();
  /** How often a budget had no room. */
  refusals = 0;
  readonly #patience: ConsistencyGrace;
  #keys = 0;
  #turn = 0;

  constructor(dialect: Dialect, patience: ConsistencyGrace) {
    this.dialect = dialect;
    this.#patience = patience;
    this.witness = new Witness(dialect);
  }

  /** The first whole answer that is not 503. */
  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const { patience_ms } = this.#patience;
    const end = performance.now() + patience_ms;
    for (;;) {
      const answer = await this.#once(method, path, body, headers);
      if (answer !== undefined && answer.status !== 503) return answer;
      if (performance.now() > end)
        throw new Error(`${method} ${path} got no answer in ${patience_ms / 1000} s: ${JSON.stringify(answer)}`);
      await wait(20);
    }
  }

  /** The id of a request, acknowledged. */
  async ask(template_id: string, machine_count: number): Promise<string> {
    const [body, key] = [this.dialect.ask(template_id, machine_count), this.#key()];
    const end = performance.now() + this.#patience.patience_ms;
    let answer = await this.call('POST', '/machines/request', body, key);
    // A budget has room when others gave machines back.
    while (isOverBudget(answer) && performance.now() < end) {
      this.refusals += 1;
      await wait(100);
      answer = await this.call('POST', '/machines/request', body, key);
    }
    const request_id = this.dialect.requestId(done(answer));
    this.book.set(request_id, { machine_count, returned: new Set() });
    return request_id;
  }

  /** The id of a return, acknowledged; `request_id`: whose machines they are, where they are of one request. */
  async giveBack(machine_ids: readonly string[], request_id?: string): Promise<string> {
    const return_id = this.dialect.requestId(
      done(await this.call('POST', '/machines/return', { machine_ids }, this.#key())),
    );
    const entry = request_id === undefined ? undefined : this.book.get(request_id);
    for (const id of machine_ids) entry?.returned.add(id);
    return return_id;
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
  ended(request_id: string): Promise<Seen> {
    return this.sees(request_id, () => false);
  }

  /** Waits until a request is seen like that, or has ended. */
  async sees(request_id: string, like: (seen: Seen) => boolean): Promise<Seen> {
    const { patience_ms } = this.#patience;
    const end = performance.now() + patience_ms;
    for (;;) {
      const seen = await this.seen(request_id);
      if (this.dialect.ended.has(seen.status) || like(seen)) return seen;
      if (performance.now() > end)
        throw new Error(`${request_id} is ${seen.status} after ${patience_ms / 1000} s: ${seen.message}`);
      // Nobody asks twenty times a second for megabytes.
      await wait(50 + seen.machines.length / 10);
    }
  }

  async #once(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer | undefined> {
    const accepts = /^\/(machines\/request|templates)/.test(path) ? this.accepts : () => true;
    const urls = this.urls().filter((each) => accepts(each));
    const url = urls[this.#turn++ % urls.length];
    if (url === undefined) return undefined;
    const signal = AbortSignal.timeout(this.#patience.answer_ms);
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { connection: 'close', ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal,
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

const isOverBudget = ({ status, body }: Answer): boolean => status === 409 && /Budget '/.test(JSON.stringify(body));

function done({ status, body }: Answer): any {
  if (status >= 300) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`);
  return body;
}
