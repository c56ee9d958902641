import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { Kind } from '../../../../core/index.ts';
import { SharedMarks } from '../../../../core/contract/commits/shared-marks.ts';

const url = new URL('../../../../core/contract/commits/shared-marks.ts', import.meta.url).href;

/** What a watcher was told, and the ways to wait for it. */
function watched(t: ExecutionContext, marks: SharedMarks) {
  const told: (readonly (readonly [Kind, number])[])[] = [];
  let next = Promise.withResolvers<void>();
  const watch = marks.watch((found) => {
    told.push(found.filter(([, mark]) => mark > 0));
    next.resolve();
    next = Promise.withResolvers<void>();
  });
  t.teardown(() => watch[Symbol.dispose]());
  return { told, watch, next: () => next.promise };
}

test('all that watch a place learn the announced marks; a lower mark changes nothing', async (t) => {
  const place = `shared marks ${crypto.randomUUID()}`;
  const [one, other] = [watched(t, SharedMarks.at(place)), watched(t, SharedMarks.at(place))];
  let both = Promise.all([one.next(), other.next()]);
  SharedMarks.at(place).announce([
    ['request', 3],
    ['event', 2 ** 40],
  ]);
  await both;
  both = Promise.all([one.next(), other.next()]);
  SharedMarks.at(place).announce([
    ['request', 2],
    ['machine', 1],
  ]);
  await both;
  const first = [
    ['request', 3],
    ['event', 2 ** 40],
  ];
  const second = [
    ['request', 3],
    ['machine', 1],
    ['event', 2 ** 40],
  ];
  t.deepEqual(one.told as unknown, [first, second]);
  t.deepEqual(other.told as unknown, [first, second]);
});

test('a database that took the place of another one begins with marks of its own', async (t) => {
  const place = `shared marks ${crypto.randomUUID()}`;
  SharedMarks.at(place).announce([
    ['request', 5],
    ['event', 7],
  ]);
  // The same database, read a moment later, by which it has grown.
  const same = SharedMarks.at(place);
  t.is(
    same.of([
      ['request', 6],
      ['event', 7],
    ]),
    same,
  );
  const other = SharedMarks.at(place).of([['request', 1]]);
  t.not(other, same);
  const { told, next } = watched(t, other);
  const heard = next();
  SharedMarks.at(place).announce([['request', 2]]);
  await heard;
  t.deepEqual(told as unknown, [[['request', 2]]]);
});

test('places know nothing of each other', async (t) => {
  const [here, there] = [SharedMarks.at(crypto.randomUUID()), SharedMarks.at(crypto.randomUUID())];
  const watching = { here: watched(t, here), there: watched(t, there) };
  const told = watching.there.next();
  here.announce([['request', 1]]);
  there.announce([['machine', 1]]);
  await told;
  t.deepEqual(watching.there.told as unknown, [[['machine', 1]]]);
});

/** A thread that watches the place, and then does what `code` says with `marks`. */
function thread(place: string, code: string): Worker {
  const whole = `
    import { parentPort } from 'node:worker_threads';
    import { SharedMarks } from ${JSON.stringify(url)};
    const marks = SharedMarks.at(${JSON.stringify(place)});
    marks.watch(() => undefined);
    ${code}
  `;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(whole)}`));
}

test('none of the announcements of another thread is missed, and that thread ends although it watches', async (t) => {
  t.timeout(300_000);
  const place = `shared marks ${crypto.randomUUID()}`;
  const { told, next } = watched(t, SharedMarks.at(place));
  const worker = thread(
    place,
    `for (let n = 1; n <= 1000; n++) {
      marks.announce([['request', n]]);
      if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }`,
  );
  const ended = once(worker, 'exit');
  while (told.at(-1)?.[0]?.[1] !== 1000) await next();
  t.deepEqual(await ended, [0]);
  const numbers = told.map(([mark]) => mark?.[1] ?? 0);
  t.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
});

test('a thread that is ended while it watches disturbs nobody', async (t) => {
  t.timeout(300_000);
  const place = `shared marks ${crypto.randomUUID()}`;
  const marks = SharedMarks.at(place);
  const { told, next } = watched(t, marks);
  const worker = thread(place, "setInterval(() => undefined, 1_000); parentPort.postMessage('watches');");
  await once(worker, 'message');
  await worker.terminate();
  const heard = next();
  marks.announce([['request', 1]]);
  await heard;
  t.deepEqual(told as unknown, [[['request', 1]]]);
});

test('a watch that has ended is told of nothing', async (t) => {
  const marks = SharedMarks.at(crypto.randomUUID());
  const [ended, other] = [watched(t, marks), watched(t, marks)];
  ended.watch[Symbol.dispose]();
  const told = other.next();
  marks.announce([['request', 1]]);
  await told;
  t.deepEqual(ended.told, []);
});
