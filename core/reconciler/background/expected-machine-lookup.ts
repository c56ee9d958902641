import { chunks } from '../../collections/chunks.ts';
import { expectedTopic } from '../../requests/expected-machines.ts';
import type { FactRecord } from '../../model/records.ts';
import type { OwnedResource } from '../../contract/provider.ts';
import type { Connected } from '../../providers/guard/session-pool.ts';
import type { Change } from '../../contract/storage.ts';
import type { BackgroundParts } from './background-parts.ts';
import { compare } from './sweep/compare.ts';
import { foundSignal } from './sweep/found-signal.ts';
import { readStoredResources } from './sweep/read-stored-resources.ts';

/** After a provider did not answer, it is not asked again sooner. */
const againMs = 15_000;
const rowsAtOnce = 200;

export type ExpectedMachineLookupParts = Omit<BackgroundParts, 'facts' | 'settings'> & { readonly installation: string };

/**
 * Looks for machines that callers say belong to a request: in what the provider lists as ours. Those that it lists as started for an attempt of that request
 * are handed to its case by a signal, as the sweep does; of all others nothing is believed. An instance that lists nothing cannot confirm anything.
 */
export class ExpectedMachineLookup implements Disposable {
  readonly #parts: ExpectedMachineLookupParts;
  readonly #watch: Disposable;
  #due = true;
  #not_before = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: ExpectedMachineLookupParts) {
    this.#parts = parts;
    this.#watch = parts.store.watch((kinds) => {
      if (kinds.has('fact')) this.#due = true;
    });
  }

  /** Begins with what was asked, unless it is under way. Does not wait for it. */
  begin(): void {
    if (this.#running || !this.#due || this.#parts.clock.monotonic() < this.#not_before) return;
    this.#due = false;
    this.#running = this.#answer()
      .catch((error: unknown) => {
        this.#due = true;
        this.#not_before = this.#parts.clock.monotonic() + againMs;
        if (this.#parts.signal.aborted) return;
        this.#parts.log.warn({ err: error }, 'Machines that a request is said to have could not be asked for; trying again later.');
      })
      .finally(() => (this.#running = undefined));
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  async #answer(): Promise<void> {
    const { store, clock } = this.#parts;
    const asked = await store.find('fact', { where: { topic: expectedTopic, until: { after: clock.now() } } });
    // What concerns one request does not wait for another.
    const done = await Promise.allSettled([...Map.groupBy(asked, ({ name }) => name)].map(([id, questions]) => this.#ask(id, questions)));
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  async #ask(request_id: string, questions: readonly FactRecord[]): Promise<void> {
    const { store, clock } = this.#parts;
    const wanted = new Set(questions.map(({ item }) => item));
    const attempts = await store.find('attempt', { where: { request_id } });
    for (const [name, mine] of Map.groupBy(attempts, ({ provider_instance }) => provider_instance)) {
      const { connected, listed } = await this.#owned(name);
      // Now it may speak to another cloud than when the order was made.
      const ours = new Set(mine.filter(({ identity }) => identity === connected.identity).map(({ attempt }) => attempt));
      const expected = listed.filter(
        ({ request_id: of, attempt = 0, machine }) => of === request_id && machine && wanted.has(machine.machine_id) && ours.has(attempt),
      );
      const known = await readStoredResources(store, expected, ({ api }) => connected.api(api)?.find !== undefined);
      const { astray } = compare(expected, known, clock.now(), 0);
      await store.commit(astray.map((each) => foundSignal(each, clock.now())));
    }
    const asked = questions.map(({ topic, name, item }): Change => ({ op: 'delete', kind: 'fact', key: { topic, name, item } }));
    // Only then: a question that is asked twice does no harm.
    for (const part of chunks(asked, rowsAtOnce)) await store.commit(part);
  }

  /** What an instance lists as ours; nothing where it cannot. Rejects when it does not answer. */
  async #owned(name: string): Promise<{ readonly connected: Connected; readonly listed: readonly OwnedResource[] }> {
    const { pool, signal, installation } = this.#parts;
    const connected = await pool.connect(name);
    return { connected, listed: (await connected.type.owned?.(installation, { signal })) ?? [] };
  }
}
