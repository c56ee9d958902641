/**
 * What registers a test: `test` of node:test, ava or vitest, `it` of mocha. Each check of a kit becomes one test of
 * it, and fails by throwing an AssertionError. /
 */
export interface Runner {
  (title: string, body: (t: any) => Promise<void>): unknown;
  /** Registers what could not be shown. Without it, such a check becomes a test that fails and says so. */
  readonly todo?: (title: string) => unknown;
}

/** What a check does at its end, whether it went well or not; the last one that was given comes first. */
export interface Ending {
  defer(work: () => unknown): void;
}

/** Registers checks, each a sentence that begins with the same words. */
export interface Checks {
  check(sentence: string, body: (ending: Ending) => Promise<void>): void;
  /**
   * A check whose case cannot be made here: it shows as not done, never as passed. `lacks` says what is missing for
   * it.
   */
  todo(sentence: string, lacks: string): void;
  /** `check` where `possible`, else `todo`. */
  when<T>(
    possible: T | undefined,
    lacks: string,
    sentence: string,
    body: (possible: T, ending: Ending) => Promise<void>,
  ): void;
}

export function checksOf(runner: Runner, about: string): Checks {
  const check: Checks['check'] = (sentence, body) =>
    void runner(`${about}: ${sentence}`, async (t) => {
      const work: (() => unknown)[] = [];
      try {
        await body({ defer: (each) => void work.unshift(each) });
      } finally {
        for (const each of work) await each();
      }
      // Runners that count assertions see those of node:assert only where they are told.
      t?.pass?.();
    });
  const todo: Checks['todo'] = (sentence, lacks) => {
    const title = `${about}: ${sentence} (not shown: ${lacks})`;
    if (runner.todo) runner.todo(title);
    else
      runner(title, async () => {
        throw new Error(`This check needs ${lacks}.`);
      });
  };
  return {
    check,
    todo,
    when: (possible, lacks, sentence, body) =>
      possible === undefined ? todo(sentence, lacks) : check(sentence, (ending) => body(possible, ending)),
  };
}
