import type { FactRecord } from '../model/records.ts';

/** Facts that this thread learned, while a read may come that began before they were stored. */
export interface Lesson {
  readonly records: readonly FactRecord[];
  /** The first read that has it, or that shows that it could not be stored. Undefined: it is being stored. */
  covered_by: number | undefined;
}

/**
 * What was read of a store, with what was learned here over it until a read has that too. Reads are numbered as they begin: one that was overtaken by a later
 * one changes nothing, and none takes away what was learned since it began.
 */
export class KnownFacts {
  #facts = new Map<string, FactRecord>();
  #lessons: readonly Lesson[] = [];
  #begun = 0;
  #landed = 0;

  get(fact: Pick<FactRecord, 'topic' | 'name' | 'item'>): FactRecord | undefined {
    return this.#facts.get(keyOf(fact));
  }

  values(): Iterable<FactRecord> {
    return this.#facts.values();
  }

  /** The number of a read that begins now. */
  begin(): number {
    return ++this.#begun;
  }

  /** What a read found. False: a later one came before it. */
  land(turn: number, records: readonly FactRecord[]): boolean {
    if (turn < this.#landed) return false;
    this.#landed = turn;
    this.#lessons = this.#lessons.filter(({ covered_by }) => covered_by === undefined || covered_by > turn);
    this.#facts = new Map([...records, ...this.#lessons.flatMap((lesson) => lesson.records)].map((fact) => [keyOf(fact), fact]));
    return true;
  }

  /** They hold at once. */
  learn(records: readonly FactRecord[]): Lesson {
    const lesson: Lesson = { records, covered_by: undefined };
    this.#lessons = [...this.#lessons, lesson];
    for (const record of records) this.#facts.set(keyOf(record), record);
    return lesson;
  }

  /** They are stored, or could not be: a read that begins from now on tells how it stands. */
  settle(lesson: Lesson): void {
    lesson.covered_by = this.#begun + 1;
  }
}

const keyOf = ({ topic, name, item }: Pick<FactRecord, 'topic' | 'name' | 'item'>): string => `${topic}\u0000${name}\u0000${item}`;
