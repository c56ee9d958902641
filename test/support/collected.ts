import type { Runner } from '../../plugin-testkit/runner.ts';

/** A runner that keeps what it is given, to be run one by one: so that a kit can be put to the test itself. */
export interface Collected {
  readonly runner: Runner;
  /** Titles of what could not be shown. */
  readonly todos: readonly string[];
  /** Runs the one check whose title has these words, and gives what it failed by; undefined when it passed. */
  failureOf(words: string): Promise<unknown>;
  /** Titles of the checks that fail. */
  failures(): Promise<readonly string[]>;
}

export function collected(): Collected {
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
