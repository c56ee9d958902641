import test from 'ava';
import { settingsOf } from '../../../plugins/cloud/config.ts';
import type { CloudSession } from '../../../plugins/cloud/connection/session.ts';
import { pausesBetween } from '../../../plugins/cloud/release/listing-pauses.ts';

/** A session, and the pauses of a listing of so many machines, each page of which takes a second. */
function listings(url?: string) {
  let now = 0;
  let pauses: number[] = [];
  const clock = {
    monotonic: () => now,
    async sleep(ms: number) {
      pauses.push(ms);
      now += ms;
    },
  };
  const session = {
    clock,
    settings: settingsOf(url === undefined ? {} : { interruption_queue: { url } }),
  } as unknown as CloudSession;
  return async (machines: number, page = 1_000) => {
    pauses = [];
    const began = now;
    const pause = pausesBetween(session, { signal: new AbortController().signal });
    for (let read = 0; read < machines; read += page) {
      now += 1_000;
      await pause(Math.min(page, machines - read));
    }
    return { pauses, ms: now - began };
  };
}

test('a listing of ten thousand machines has two pages a minute', async (t) => {
  const list = listings('https://sqs.test/1/events');
  for (let sweep = 0; sweep < 3; sweep++)
    t.deepEqual(
      (await list(10_000)).pauses,
      Array.from({ length: 9 }, () => 30_000),
    );
});

test('a listing takes less than seven minutes with pages of any size', async (t) => {
  const list = listings('https://sqs.test/1/events');
  for (const [machines, page] of [
    [50_000, 1_000],
    [50_000, 1_000],
    [80_000, 1_000],
    [1_000, 1_000],
    [80_000, 1_000],
    [4_000, 40],
    [4_000, 40],
  ] as const) {
    const { ms } = await list(machines, page);
    t.true(ms < 390_000, `${machines}: ${ms}`);
  }
  await list(50_000);
  t.deepEqual([...new Set((await list(50_000)).pauses)], [6_000], 'evenly');
});

test('a small listing, and any listing without a queue, has no pause', async (t) => {
  const small = listings('https://sqs.test/1/events');
  t.deepEqual((await small(999)).pauses, []);
  const without = listings();
  for (let sweep = 0; sweep < 2; sweep++) t.deepEqual((await without(50_000)).pauses, []);
});
