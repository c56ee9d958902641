/**
 * The function that registers a test: `test` of node:test, ava or vitest, `it` of mocha. Each check of a kit becomes
 * one test, and fails with an AssertionError.
 */
export interface Runner {
  (title: string, body: (t: any) => Promise<void>): unknown;
  /**
   * Registers a check that cannot run. Without `todo`, such a check becomes a test that fails and states the reason.
   */
  readonly todo?: (title: string) => unknown;
}

/** Registers cleanup for the end of a check, whether it passes or fails; the last registered runs first. */
export interface Ending {
  defer(work: () => unknown): void;
}

/** Registers checks, whose titles share a prefix. */
export interface Checks {
  check(sentence: string, body: (ending: Ending) => Promise<void>): void;
  /** A check that cannot run here: it appears as todo, never as passed. `lacks` names the missing part. */
  todo(sentence: string, lacks: string): void;
  /** `check` if `possible` is defined, else `todo`. */
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
      // Runners that count assertions do not see those of node:assert, so one is reported here.
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
