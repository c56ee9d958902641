import { chunks } from '../../collections/chunks.ts';
import { expectedTopic } from '../../requests/expected-machines.ts';
import type { FactRecord } from '../../model/records.ts';
import type { OwnedResource } from '../../contract/provider/resources.ts';
import type { Connected } from '../../providers/guard/session-pool.ts';
import type { Change } from '../../contract/storage.ts';
import type { BackgroundParts } from './background-parts.ts';
import { compare } from './sweep/compare.ts';
import { foundSignal } from './sweep/found-signal.ts';
import { readStoredResources } from './sweep/read-stored-resources.ts';

/** The wait after a provider did not answer. */
const againMs = 15_000;
const rowsAtOnce = 200;

export type ExpectedMachineLookupParts = Omit<BackgroundParts, 'facts' | 'settings'> & {
  readonly installation: string;
};

/**
 * Looks for machines that belong to a request according to a caller, in the listing of the provider. A machine that
 * the provider lists for an attempt of this request is passed to the request by a signal, as discovery of orphans
 * does; all others are ignored. An instance without listings cannot confirm machines.
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

  /** Starts the stored lookups, unless they are running. Does not wait for them. */
  begin(): void {
    if (this.#running || !this.#due || this.#parts.clock.monotonic() < this.#not_before) return;
    this.#due = false;
    this.#running = this.#answer()
      .catch((error: unknown) => {
        this.#due = true;
        this.#not_before = this.#parts.clock.monotonic() + againMs;
        if (this.#parts.signal.aborted) return;
        this.#parts.log.warn({ err: error }, 'The lookup of expected machines failed; it will be retried.');
      })
      .finally(() => (this.#running = undefined));
  }

  /** Resolves when no lookup is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  async #answer(): Promise<void> {
    const { store, clock } = this.#parts;
    const questions = await store.find('fact', { where: { topic: expectedTopic, until: { after: clock.now() } } });
    // The lookup for one request does not delay those for others.
    const done = await Promise.allSettled(
      [...Map.groupBy(questions, ({ name }) => name)].map(([id, mine]) => this.#ask(id, mine)),
    );
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  async #ask(request_id: string, questions: readonly FactRecord[]): Promise<void> {
    const { store, clock } = this.#parts;
    const ids = new Set(questions.map(({ item }) => item));
    const attempts = await store.find('attempt', { where: { request_id } });
    for (const [name, mine] of Map.groupBy(attempts, ({ provider_instance }) => provider_instance)) {
      const { connected, listed } = await this.#owned(name);
      // The instance may speak to another cloud than when the order was made.
      const ours = new Set(
        mine.filter(({ identity }) => identity === connected.identity).map(({ attempt }) => attempt),
      );
      const expected = listed.filter(
        ({ request_id: of, attempt = 0, machine }) =>
          of === request_id && machine && ids.has(machine.machine_id) && ours.has(attempt),
      );
      const known = await readStoredResources(store, expected, ({ api }) => connected.api(api)?.find !== undefined);
      const { astray } = compare(expected, known, clock.now(), 0);
      await store.commit(astray.map((each) => foundSignal(each, clock.now())));
    }
    const answered = questions.map(
      ({ topic, name, item }): Change => ({ op: 'delete', kind: 'fact', key: { topic, name, item } }),
    );
    // The questions are deleted last, because a repeated lookup is harmless.
    for (const part of chunks(answered, rowsAtOnce)) await store.commit(part);
  }

  /**
   * The resources of this installation at an instance; empty when the provider cannot list them. Rejects when the
   * provider does not answer.
   */
  async #owned(name: string): Promise<{ readonly connected: Connected; readonly listed: readonly OwnedResource[] }> {
    const { pool, signal, installation } = this.#parts;
    const connected = await pool.connect(name);
    return { connected, listed: (await connected.type.owned?.(installation, { signal })) ?? [] };
  }
}
