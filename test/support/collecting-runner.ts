import type { Runner } from '../../plugin-testkit/runner.ts';

/** A test runner that collects the checks of a kit and runs them one by one on demand: it tests the kit itself. */
export interface CollectingRunner {
  readonly runner: Runner;
  /** Titles of the checks that the subject cannot run. */
  readonly todos: readonly string[];
  /** Runs the only check whose title contains these words. Returns its error; undefined when it passed. */
  failureOf(words: string): Promise<unknown>;
  /** Titles of the checks that fail. */
  failures(): Promise<readonly string[]>;
}

export function collectingRunner(): CollectingRunner {
  const checks: { readonly title: string; readonly body: (t: unknown) => Promise<void> }[] = [];
  const todos: string[] = [];
  const runner = Object.assign(
    (title: string, body: (t: unknown) => Promise<void>) => void checks.push({ title, body }),
    {
      todo: (title: string) => void todos.push(title),
    },
  );
  return {
    runner,
    todos,
    async failureOf(words) {
      const named = checks.filter(({ title }) => title.includes(words));
      const [only] = named;
      if (!only || named.length > 1) throw new Error(`'${words}' names ${named.length} checks, not one.`);
      return failure(only.body);
    },
    async failures() {
      const failed = await Promise.all(
        checks.map(async ({ title, body }) => ((await failure(body)) === undefined ? [] : [title])),
      );
      return failed.flat();
    },
  };
}

async function failure(body: (t: unknown) => Promise<void>): Promise<unknown> {
  try {
    await body({});
    return undefined;
  } catch (error) {
    return error;
  }
}
