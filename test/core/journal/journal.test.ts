import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { silentLog } from '../../../core/contract/log.ts';
import type { EventFilter } from '../../../core/journal/event-filter.ts';
import type { EventType } from '../../../core/journal/event-types.ts';
import { Journal } from '../../../core/journal/journal.ts';
import { removalRecorded } from '../../../core/journal/removed-events.ts';
import { aMachine, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { MemoryStore } from '../../../plugins/storage-memory/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function bench() {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock, log: silentLog });
  let read = 0;
  const find = store.find.bind(store);
  store.find = (async (kind: 'event', query: object) => {
    const found = await find(kind, query);
    if (kind === 'event') read += found.length;
    return found;
  }) as typeof store.find;
  const write = (type: EventType, data: Record<string, unknown> = {}, request_id?: string) =>
    newEvent(0, type, data, request_id);
  return { store, journal: new Journal(store), write, read: () => read };
}

/** All events of a filter, part by part, with the most records that were read for one part. */
async function whole({ journal, read }: ReturnType<typeof bench>, filter: EventFilter, limit: number) {
  const seqs: number[] = [];
  let most = 0;
  let parts = 0;
  for (let after = 0, more = true; more; parts += 1) {
    const before = read();
    const part = await journal.after(after, filter, limit);
    most = Math.max(most, read() - before);
    seqs.push(...part.events.map(({ seq }) => seq));
    ({ more, next: after } = part);
  }
  return { seqs, most, parts };
}

test('a filter that few events match is read in bounded parts, without a gap or a repeat', async (t) => {
  const made = bench();
  const { store, write, journal } = made;
  // Every hundredth event of a request with many.
  for (let i = 0; i < 60; i++)
    await store.commit(
      Array.from({ length: 200 }, (_, n) =>
        write(
          n % 100 === 0 ? 'machine.lost' : 'machine.ready',
          { provider_instance: 'east', machine_ids: [`i-${n}`] },
          'r-1',
        ),
      ),
    );
  const few = await whole(made, { request_id: 'r-1', type: ['machine.lost'] }, 1_000);
  t.deepEqual(
    few.seqs,
    Array.from({ length: 120 }, (_, n) => n * 100 + 1),
  );
  t.true(few.most <= 4_500 && few.parts <= 4, `${few.most} records in ${few.parts} parts`);
  const types = await whole(made, { type: ['machine.lost', 'machine.ready'] }, 777);
  t.is(types.seqs.length, 12_000);
  t.deepEqual(
    types.seqs,
    types.seqs.toSorted((a, b) => a - b),
  );
  const { events, next } = await journal.latest({ request_id: 'r-1', type: ['machine.lost'] }, 3);
  t.deepEqual([...events.map(({ seq }) => seq), next], [11_701, 11_801, 11_901, 12_000]);
});

test('the events of a machine are those of its request and of the return that took it, also when its record is gone', async (t) => {
  const made = bench();
  const { store, write, journal } = made;
  await store.commit([
    insert('machine', aMachine('i-1', { provider_instance: 'east', request_id: 'r-1', return_id: 'ret-1' })),
    write('machine.ready', { provider_instance: 'east', machine_ids: ['i-0', 'i-1'] }, 'r-1'),
    write('machine.ready', { provider_instance: 'west', machine_ids: ['i-1'] }, 'r-2'),
    write('return.created', { machine_ids: ['i-1', 'i-9'] }, 'ret-1'),
    write('machine.gone', { provider_instance: 'east', machine_ids: ['i-1'] }, 'r-1'),
    write('machine.gone', { provider_instance: 'east', machine_ids: ['i-0'] }, 'r-1'),
  ]);
  const seqs = async (machine_id: string) =>
    (await journal.after(0, { machine_id }, 100)).events.map(({ seq }) => seq);
  t.deepEqual(await seqs('i-1'), [1, 3, 4]);
  t.deepEqual(await seqs('east/i-1'), [1, 4]);
  await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'i-1' } }]);
  t.deepEqual(await seqs('i-1'), [1, 2, 3, 4]);
  t.deepEqual(await seqs('i-none'), []);
});

test('an answer has no more than fits, also where single events are huge', async (t) => {
  const made = bench();
  const machine_ids = Array.from({ length: 10_000 }, (_, n) => `i-${String(n).padStart(100, '0')}`);
  for (let i = 0; i < 10; i++) await made.store.commit([made.write('return.created', { machine_ids }, `ret-${i}`)]);
  const part = await made.journal.after(0, {}, 1_000);
  t.true(part.events.length > 1 && part.events.length < 10 && part.more);
  t.is((await whole(made, {}, 1_000)).seqs.length, 10);
});

test('removed events are told unless the request that is asked for exists: its events are never removed', async (t) => {
  const { store, write, journal } = bench();
  await store.commit([insert('request', aRequest('r-1')), write('request.created', {}, 'r-1')]);
  await store.commit([removalRecorded(7, 0, 1)]);
  await store.commit(Array.from({ length: 9 }, () => write('clock.shifted', { seconds: 1 })));
  const gap = { reason: 'removed', after: 0, until: 7 } as const;
  t.deepEqual((await journal.after(0, {}, 10)).gap, gap);
  t.deepEqual((await journal.after(0, { request_id: 'r-2' }, 10)).gap, gap);
  t.is((await journal.after(0, { request_id: 'r-1' }, 10)).gap, undefined);
  t.is((await journal.after(7, {}, 10)).gap, undefined);
  t.is((await journal.latest({}, 10)).gap, undefined);
  t.deepEqual(await journal.after(99, {}, 10), {
    events: [],
    next: 10,
    more: false,
    gap: { reason: 'unknown', after: 99, until: 10 },
  });
});
