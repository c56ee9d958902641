import type { FactRecord } from '../model/records.ts';

/** Facts that this thread learned, until a read that started after they were stored replaces them. */
export interface LearnedFacts {
  readonly records: readonly FactRecord[];
  /**
   * The first read that contains the facts, or shows that they were not stored. Undefined: the commit has not ended.
   */
  covered_by: number | undefined;
}

/**
 * The facts of the last read, overlaid by facts that this thread learned, until a read contains them. Reads are
 * numbered in the order of their start: the result of an overtaken read is ignored, and no read removes facts that
 * were learned since its start.
 */
export class KnownFacts {
  /** By topic, then by name and item: those of one topic are read often, and there may be thousands of another. */
  #facts = new Map<string, Map<string, FactRecord>>();
  #learned: readonly LearnedFacts[] = [];
  #startedReads = 0;
  #appliedRead = 0;
  #changes = 0;

  get(fact: Pick<FactRecord, 'topic' | 'name' | 'item'>): FactRecord | undefined {
    return this.#facts.get(fact.topic)?.get(keyOf(fact));
  }

  /** Increases with every change of the facts. */
  get changes(): number {
    return this.#changes;
  }

  of(topic: string): Iterable<FactRecord> {
    return this.#facts.get(topic)?.values() ?? [];
  }

  /** Starts a read and returns its number. */
  startRead(): number {
    return ++this.#startedReads;
  }

  /** Applies the result of a read. Returns false when a later read was applied before. */
  applyRead(read: number, records: readonly FactRecord[]): boolean {
    if (read < this.#appliedRead) return false;
    this.#appliedRead = read;
    this.#changes += 1;
    this.#learned = this.#learned.filter(({ covered_by }) => covered_by === undefined || covered_by > read);
    this.#facts = new Map();
    for (const fact of records) this.#put(fact);
    for (const learned of this.#learned) for (const fact of learned.records) this.#put(fact);
    return true;
  }

  /** The facts hold immediately. */
  learn(records: readonly FactRecord[]): LearnedFacts {
    const learned: LearnedFacts = { records, covered_by: undefined };
    this.#learned = [...this.#learned, learned];
    this.#changes += 1;
    for (const record of records) this.#put(record);
    return learned;
  }

  /** The commit of the facts ended, successfully or not. A read that starts from now on decides. */
  settle(learned: LearnedFacts): void {
    learned.covered_by = this.#startedReads + 1;
  }

  #put(fact: FactRecord): void {
    let ofTopic = this.#facts.get(fact.topic);
    if (!ofTopic) this.#facts.set(fact.topic, (ofTopic = new Map()));
    ofTopic.set(keyOf(fact), fact);
  }
}

const keyOf = ({ name, item }: Pick<FactRecord, 'name' | 'item'>): string => `${name}\u0000${item}`;

/**
 * Allows for small differences between the clocks of two threads; only a larger difference means that the clock was
 * set back.
 */
const toleranceMs = 1_000;

/**
 * A fact with an end holds until its end, but not when it was learned in the future: then the clock was set back
 * since.
 */
export const holds = ({ at, until }: FactRecord, now: number): boolean =>
  until === undefined || (until > now && at <= now + toleranceMs);
