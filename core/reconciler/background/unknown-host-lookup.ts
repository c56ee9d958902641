import { chunks } from '../../collections/chunks.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { FactRecord } from '../../model/records.ts';
import type { HostRef } from '../../contract/provider/resources.ts';
import { sameHost } from '../../providers/answer-checks/answers.ts';
import type { Change, Fence } from '../../contract/storage.ts';
import {
  answeredTopic,
  askedTopic,
  heldMs,
  hostOf,
  type UnknownHostAnswer,
} from '../../requests/unknown-host-facts.ts';
import type { BackgroundParts } from './background-parts.ts';
import { Job } from './job.ts';

/** The wait after a provider did not answer. */
const againMs = 15_000;
const atOnce = 100;

export type UnknownHostLookupParts = Omit<BackgroundParts, 'facts'>;

/**
 * Answers the questions of interfaces about unknown hosts. A host lives when one of the instances that may have it
 * reports it, and is gone when all of them answered and none reported it. While one cannot answer, the host has no
 * answer. For each instance one broker looks; one that lacks the instance leaves the question to those that have it.
 */
export class UnknownHostLookup implements Disposable {
  readonly #parts: UnknownHostLookupParts;
  readonly #watch: Disposable;
  #due = true;
  #not_before = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: UnknownHostLookupParts) {
    this.#parts = parts;
    this.#watch = parts.store.watch((kinds) => {
      if (kinds.has('fact')) this.#due = true;
    });
  }

  /** Starts the stored lookups, unless they are running. Does not wait for them. */
  begin(instances: readonly ProviderInstance[]): void {
    if (this.#running || !this.#due || this.#parts.clock.monotonic() < this.#not_before) return;
    this.#due = false;
    this.#running = this.#answer(instances)
      .catch((error: unknown) => {
        this.#later();
        if (this.#parts.signal.aborted) return;
        this.#parts.log.warn({ err: error }, 'The lookup of unknown hosts failed; it will be retried.');
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

  async #answer(instances: readonly ProviderInstance[]): Promise<void> {
    const { store, clock } = this.#parts;
    const open = await store.find('fact', { where: { topic: askedTopic, until: { after: clock.now() } } });
    const groups = Map.groupBy(open, (question) => question.name);
    const elsewhere = groups.size > 0 ? await this.#servedElsewhere(instances) : new Set<string>();
    // The lookup at one instance does not delay those at others.
    const done = await Promise.allSettled(
      [...groups].map(async ([name, questions]) => {
        const there = instances.filter((instance) => name === '' || instance.name === name);
        if (there.length === 0 && elsewhere.has(name)) return;
        const job = new Job(`lookup of unknown hosts at '${name}'`, this.#parts);
        const fence = await job.take();
        if (!fence) return this.#later();
        try {
          // An instance that only another broker has may have the host.
          const isComplete = there.length > 0 && (name !== '' || elsewhere.size === 0);
          for (const part of chunks(questions, atOnce)) await this.#ask(part, there, isComplete, fence);
        } finally {
          await job.free();
        }
      }),
    );
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  /** Looks again whether the broker that has the job answered. */
  #later(): void {
    this.#due = true;
    this.#not_before = this.#parts.clock.monotonic() + againMs;
  }

  /** The instances of other live brokers that this one lacks. */
  async #servedElsewhere(instances: readonly ProviderInstance[]): Promise<ReadonlySet<string>> {
    const brokers = await this.#parts.store.brokers();
    const served = brokers.flatMap(({ status, serves }) => (status === 'live' ? serves : []));
    const own = new Set(instances.map(({ name }) => name));
    return new Set(served.flatMap(({ name }) => (own.has(name) ? [] : [name])));
  }

  async #ask(
    questions: readonly FactRecord[],
    instances: readonly ProviderInstance[],
    isComplete: boolean,
    fence: Fence,
  ): Promise<void> {
    const { store, clock } = this.#parts;
    const hosts = new Map(questions.map((question) => [question, hostOf(question)]));
    const alive = new Set<HostRef>();
    let sure = isComplete;
    for (const { name } of instances) {
      const living = await this.#living(name, [...hosts.values()]);
      if (!living) sure = false;
      // A plugin may return equal copies of the hosts.
      for (const host of hosts.values()) if (living?.some((each) => sameHost(each, host))) alive.add(host);
    }
    const at = clock.now();
    const changes = questions.flatMap((question): Change[] => {
      const { topic, name, item } = question;
      const lives = alive.has(hosts.get(question) as HostRef);
      const value: UnknownHostAnswer = { lives };
      const answered: FactRecord = { topic: answeredTopic, name, item, value, at, until: at + heldMs };
      const answer: Change[] = sure || lives ? [{ op: 'put', kind: 'fact', record: answered }] : [];
      return [...answer, { op: 'delete', kind: 'fact', key: { topic, name, item } }];
    });
    await store.commit([fence, ...changes]);
  }

  /**
   * The living hosts according to an instance; undefined when its provider cannot tell. Rejects when it does not
   * answer.
   */
  async #living(name: string, hosts: readonly HostRef[]): Promise<readonly HostRef[] | undefined> {
    const { pool, signal } = this.#parts;
    const { type } = await pool.connect(name);
    return type.whichLive?.(hosts, { signal });
  }
}
