import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';

/**
 * Declares the tests of a file, of which at most `most` run at the same time. Each has a broker and a cloud in this
 * process with a fast clock: in a process that is too busy their claims would expire.
 */
export function limitedTests(most: number): (title: string, body: (t: ExecutionContext) => Promise<void>) => void {
  const turn = pLimit(most);
  return (title, body) =>
    test(title, (t) => {
      t.timeout(300_000);
      return turn(() => body(t));
    });
}
