import { Generations } from './generations.ts';

/** A full scan comes each ten minutes. */
const restingMs = 700_000;
/** Machines that start or end are observed each few seconds, and their rows change once. */
const movingMs = 30_000;

/** What was read from the rows of the last answers, by the digests of their texts. */
export class RecentRows {
  readonly #resting = new Generations(restingMs);
  readonly #moving = new Generations(movingMs);

  get(digest: string): unknown {
    return this.#resting.get(digest) ?? this.#moving.get(digest);
  }

  set(digest: string, row: unknown, isAtRest: boolean): void {
    (isAtRest ? this.#resting : this.#moving).set(digest, row);
  }

  /** Forgets what was in no answer for long; to be called before each answer. */
  forget(): void {
    this.#resting.forget();
    this.#moving.forget();
  }
}
