import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { removalRecorded } from '../../../core/journal/removed-events.ts';
import { EventRetention } from '../../../core/reconciler/background/retention/event-retention.ts';
import { FakeAnswer, feedBench } from './support.ts';

const upTo = (n: number, from = 1) => Array.from({ length: n }, (_, index) => from + index);

test('however many readers there are, an event is read once and rendered once', async (t) => {
  const bench = feedBench();
  const answers = await Promise.all(upTo(250).map(() => bench.follow()));
  await bench.pass();
  const before = bench.reads();
  await bench.write(3);
  await bench.pass();
  t.is(bench.reads() - before, 1);
  t.is(bench.feed.rendered, 3);
  for (const answer of answers) t.deepEqual(answer.seqs, [1, 2, 3]);
  t.is(new Set(answers.map(({ taken }) => taken.at(-1))).size, 1, 'they share the bytes');
  bench.streams.close();
});

test('nothing is done while nothing happens, but for a comment every 15 seconds', async (t) => {
  const bench = feedBench();
  const answers = await Promise.all([bench.follow(), bench.follow(undefined, { request_id: 'req-1' })]);
  await bench.pass();
  const before = bench.reads();
  await bench.clock.advance(3_600_000);
  t.is(bench.reads(), before);
  for (const answer of answers) t.is(answer.comments, 240);
  bench.streams.close();
  await bench.pass();
  t.is(bench.streams.count, 0);
});

test('a reader that takes nothing is cut off above 256 KB, the others get everything, and it resumes exactly', async (t) => {
  const bench = feedBench();
  const [lazy, busy] = await Promise.all([bench.follow(), bench.follow()]);
  await bench.pass();
  lazy.takes = false;
  for (let i = 0; i < 6; i++) {
    await bench.write(1, 60_000);
    await bench.clock.advance(2_000);
    t.true(lazy.writableLength < 256 * 1024);
    t.is(lazy.destroyed, i === 5, `${i}`);
  }
  t.deepEqual(busy.seqs, [1, 2, 3, 4, 5, 6]);
  t.false(busy.destroyed);
  const last = lazy.seqs.at(-1) ?? 0;
  const resumed = await bench.follow(last);
  await bench.pass();
  t.deepEqual(resumed.seqs, upTo(6 - last, last + 1));
  t.regex(JSON.stringify(bench.streams.families(0)), /"reason":"behind"\},"value":1/);
  bench.streams.close();
});

test('a reader that takes nothing for 30 seconds is cut off, however little waits', async (t) => {
  const bench = feedBench();
  const lazy = await bench.follow();
  await bench.pass();
  lazy.takes = false;
  await bench.write(1);
  await bench.pass();
  await bench.clock.advance(14_000);
  t.false(lazy.destroyed);
  await bench.clock.advance(31_000);
  t.true(lazy.destroyed);
  t.is(bench.streams.count, 0);
});

test('a reader that takes what it gets is not cut off by the events of a large request', async (t) => {
  const bench = feedBench();
  const answer = await bench.follow();
  const slow = await bench.follow();
  await bench.pass();
  slow.takes = false;
  const machine_ids = upTo(199).map((n) => `i-${String(n).padStart(17, '0')}`);
  // 20 000 events of machines in one moment, in records of 199.
  const changes = upTo(101).map(() =>
    newEvent(bench.clock.now(), 'machine.launched', { provider_instance: 'east', machine_ids }, 'req-1'),
  );
  await bench.store.commit(changes);
  for (let i = 0; i < 10; i++) await bench.pass();
  t.deepEqual(answer.seqs, upTo(101));
  for (let i = 0; i < 2; i++) {
    await bench.write(1);
    await bench.clock.advance(1_500);
  }
  t.true(slow.destroyed);
  bench.streams.close();
});

test('a reader that is far behind gets the journal in parts, as fast as it takes them, without being cut off', async (t) => {
  const bench = feedBench();
  for (let i = 0; i < 6; i++) await bench.write(200, 2_000);
  const lazy = new FakeAnswer();
  lazy.takes = false;
  await bench.follow(0, {}, lazy);
  await bench.pass();
  const read = bench.reads();
  t.true(lazy.writableLength < 100_000);
  await bench.write(1);
  await bench.clock.advance(10_000);
  t.false(lazy.destroyed);
  t.true(bench.reads() - read < 3, 'it reads no further parts');
  lazy.take();
  for (let i = 0; i < 60; i++) await bench.pass();
  t.deepEqual(lazy.seqs, upTo(1201));
  bench.streams.close();
});

test('readers that resume together share the reads', async (t) => {
  const bench = feedBench();
  await bench.write(150);
  const other = await bench.follow();
  await bench.pass();
  const before = bench.reads();
  const answers = await Promise.all(upTo(100).map(() => bench.follow(50)));
  await bench.pass();
  t.true(bench.reads() - before <= 3, `${bench.reads() - before} reads`);
  for (const answer of answers) t.deepEqual(answer.seqs, upTo(100, 51));
  t.deepEqual(other.seqs, []);
  bench.streams.close();
});

test('a filtered reader gets its events, and learns now and then how far it is', async (t) => {
  const bench = feedBench();
  const answer = await bench.follow(undefined, { machine_id: 'i-1' });
  const same = await bench.follow(undefined, { machine_id: 'west/i-1' });
  const of = (provider_instance: string, ...machine_ids: string[]) =>
    newEvent(bench.clock.now(), 'machine.ready', { provider_instance, machine_ids }, 'req-1');
  await bench.store.commit([of('east', 'i-2'), of('east', 'i-0', 'i-1'), of('west', 'i-1'), of('east', 'i-3')]);
  await bench.pass();
  t.deepEqual(answer.seqs, [2, 3]);
  t.deepEqual(same.seqs, [3]);
  await bench.clock.advance(15_000);
  t.regex(answer.text, /:\nid: 4\n\n$/);
  await bench.clock.advance(15_000);
  t.regex(answer.text, /:\n\n$/);
  bench.streams.close();
});

test('what retention removed is told to a reader that asks for it; later readers are not bothered', async (t) => {
  const bench = feedBench();
  await bench.write(3);
  await bench.clock.advance(31 * 86_400_000);
  await bench.write(2);
  await new EventRetention(bench.store, bench.clock).run();
  // Events may stay between those that were removed.
  t.is(await bench.feed.read(0, {}).then(({ gap }) => gap?.until), 3);
  const [resumed, late, filtered] = await Promise.all([
    bench.follow(1),
    bench.follow(3),
    bench.follow(1, { type: ['clock.shifted'] }),
  ]);
  await bench.pass();
  const gap = 'event: journal.gap\ndata: {"reason":"removed","after":1,"until":3}\n\n';
  for (const answer of [resumed, filtered]) {
    t.is(answer.text.split(gap).length, 2, answer.text);
    t.true(answer.text.indexOf(gap) < answer.text.indexOf('id: 4'));
    t.deepEqual(answer.seqs, [4, 5]);
  }
  t.deepEqual(late.seqs, [4, 5]);
  t.false(late.text.includes('journal.gap'));
  bench.streams.close();
});

test('what is missing is told once, however many parts of the journal lie before its end', async (t) => {
  const bench = feedBench();
  for (let i = 0; i < 5; i++) await bench.write(200);
  await bench.store.commit([removalRecorded(900, 0, 1)]);
  const answer = await bench.follow(0);
  for (let i = 0; i < 10; i++) await bench.pass();
  t.deepEqual(answer.seqs, upTo(1_000));
  t.is(answer.text.match(/journal\.gap/g)?.length, 1);
  bench.streams.close();
});

test('readers wait while the journal cannot be read, it is logged once, and then they get what they missed', async (t) => {
  const bench = feedBench();
  const answer = await bench.follow();
  await bench.pass();
  bench.fail(new Error('away'));
  await bench.write(1);
  await bench.clock.advance(20_000);
  await bench.write(1);
  t.deepEqual(answer.seqs, []);
  t.is(bench.logged.length, 1);
  bench.fail(undefined);
  await bench.clock.advance(2_000);
  t.deepEqual(answer.seqs, [1, 2]);
  await t.throwsAsync(
    async () => {
      bench.streams.close();
      await bench.pass();
      bench.fail(new Error('away'));
      await bench.follow();
    },
    { message: 'away' },
    'a stream that cannot begin is refused',
  );
  bench.fail(undefined);
});

test('more streams than allowed are refused with the time to try again; a closed one makes room', async (t) => {
  const bench = feedBench(2);
  const [first] = await Promise.all([bench.follow(), bench.follow()]);
  await t.throwsAsync(bench.follow(), { message: /2 streams are open.*server\.max_streams/ });
  first.destroy();
  await bench.pass();
  await t.notThrowsAsync(bench.follow());
  bench.streams.close();
  await bench.pass();
  t.is(bench.streams.count, 0);
  await t.throwsAsync(bench.follow(), { message: /about to stop/ });
});

test('the end of the server waits for no reader, and a reader that vanishes in the middle of an event harms none', async (t) => {
  const bench = feedBench();
  const [lazy, vanishing, reading] = await Promise.all([bench.follow(), bench.follow(), bench.follow()]);
  await bench.pass();
  lazy.takes = false;
  vanishing.takes = false;
  await bench.write(1, 50_000);
  await bench.pass();
  vanishing.destroy(new Error('ECONNRESET'));
  await bench.write(1);
  await bench.pass();
  t.deepEqual(reading.seqs, [1, 2]);
  bench.streams.close();
  await bench.pass();
  t.is(bench.streams.count, 0);
  t.true(reading.writableFinished);
  t.true(lazy.destroyed);
});
