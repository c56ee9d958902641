import test from 'ava';
import { slope } from './heap.ts';
import { load } from './load.ts';

test('two hundred callers of both kinds, and a server that is ended in the middle: all that was acknowledged is there and carried out', async (t) => {
  t.timeout(150_000);
  const seed = Date.now() % 1e6;
  const { book, wrong, stop_ms, rss_mb } = await load({ clients: 200, seconds: 5, seed, stopAfter: 2.5 });
  t.log(
    `seed ${seed}, ${book.calls} calls, ${book.deals.length} requests, p99 ${book.p99.toFixed(0)} ms, ended in ${stop_ms?.toFixed(0)} ms`,
  );
  t.deepEqual(wrong.slice(0, 20), [], `seed ${seed}`);
  t.true(book.deals.length > 100, `${book.deals.length} requests`);
  t.true(book.unanswered.length > 0);
  t.true((stop_ms ?? Infinity) < 9_000, `ended in ${stop_ms} ms`);
  t.true(Math.max(...rss_mb) < 600, `${Math.max(...rss_mb)} MB`);
});

test('a slope is that of the line through all points', (t) => {
  t.is(
    slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
    2,
  );
  t.is(
    slope([
      [0, 4],
      [1, 4],
      [5, 4],
    ]),
    0,
  );
  t.true(
    Math.abs(
      slope([
        [0, 1],
        [1, 2],
        [2, 1],
        [3, 2],
      ]) - 0.2,
    ) < 1e-9,
  );
});
