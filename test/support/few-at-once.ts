import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';

/**
 * Tests of a file of which only so many run at once: each has a broker and a cloud in this process, whose time passes
 * many times as fast, and a process that is kept busy by all of them at once lets their claims end. /
 */
export function fewAtOnce(most: number): (title: string, body: (t: ExecutionContext) => Promise<void>) => void {
  const turn = pLimit(most);
  return (title, body) =>
    test(title, (t) => {
      t.timeout(300_000);
      return turn(() => body(t));
    });
}
