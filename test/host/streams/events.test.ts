import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import type { EventType } from '../../../core/journal/event-types.ts';
import type { Change } from '../../../core/contract/storage.ts';
import { openSource, type SourceOptions } from '../../support/event-source.ts';
import { serveBroker, type Served } from '../hostile/serve.ts';

const path = '/api/v1/events/';
const body = { template_id: 'small', machine_count: 2 };

let server: Served;
test.before(async () => {
  server = await serveBroker();
});
test.after.always(() => server.close());

const open = (query = '', options: SourceOptions = {}) =>
  openSource(`${path}${query}`, { port: server.port, ...options });
const said = (n: number, type: EventType = 'clock.shifted', request_id?: string): Change =>
  newEvent(Date.UTC(2026, 0, 1), type, { n }, request_id);
const write = (...changes: Change[]) => server.broker.store.commit(changes);
const last = async () => (await server.call('GET', '/events/')).body.next as number;

test.serial('a request is an event with its actor, and the next part begins behind the last seen', async (t) => {
  const before = await last();
  const { body: made } = await server.call('POST', '/machines/request', body, { 'x-request-id': 'call-1' });
  const { status, body: found } = await server.call('GET', `/events/?after=${before}`);
  t.is(status, 200);
  t.is(found.events.length, 1);
  const [event] = found.events;
  t.deepEqual(event, {
    seq: before + 1,
    at: event.at,
    type: 'request.created',
    request_id: made.request_id,
    actor: { interface: 'rest', address: '127.0.0.1' },
    data: { machine_count: 2, template_id: 'small', x_request_id: 'call-1' },
  });
  t.regex(event.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.is(found.next, before + 1);
  t.deepEqual((await server.call('GET', `/events/?after=${found.next}`)).body, { events: [], next: before + 1 });
});

test.serial('without `after` the latest events come, oldest first; filters leave what they name', async (t) => {
  const from = await last();
  await write(said(1), said(2, 'template.created'), said(3, 'clock.shifted', 'req-7'), said(4));
  const seqs = async (query: string) =>
    (await server.call('GET', `/events/?${query}`)).body.events.map(({ seq }: { seq: number }) => seq - from);
  t.deepEqual(await seqs('limit=2'), [3, 4]);
  t.deepEqual(await seqs(`after=${from}&limit=2`), [1, 2]);
  t.deepEqual(await seqs(`after=${from}&type=template.created`), [2]);
  t.deepEqual(await seqs(`after=${from}&type=clock.shifted,template.created&limit=3`), [1, 2, 3]);
  t.deepEqual(await seqs(`after=${from}&type=template.*,request.failed`), [2]);
  t.deepEqual(await seqs('request_id=req-7'), [3]);
  t.deepEqual(await seqs('request_id=req-7&type=template.created'), []);
  const { body: filtered } = await server.call('GET', `/events/?after=${from}&type=template.deleted`);
  t.deepEqual(filtered, { events: [], next: from + 4 });
});

test.serial('wrong input is refused with what is known', async (t) => {
  for (const query of ['after=-1', 'after=x', 'limit=1001', 'type=request.creatd', 'type=nothing.*', 'nothing=1']) {
    const { status, body: refused } = await server.call('GET', `/events/?${query}`);
    t.is(status, 400, query);
    t.is(refused.code, 'INVALID_REQUEST');
    if (query.startsWith('type=request')) t.regex(refused.detail, /did you mean 'request\.created'\?/);
  }
});

test.serial(
  'a stream begins now, sends each event with its number and type, and resumes exactly behind an id',
  async (t) => {
    await write(said(0));
    const from = await last();
    const source = await open();
    t.is(source.status, 200);
    t.is(source.headers['content-type'], 'text/event-stream; charset=utf-8');
    t.is(source.headers['cache-control'], 'no-store');
    await source.next(({ id }) => id === String(from));
    await write(said(1), said(2, 'template.created'));
    await write(said(3));
    await source.next(({ id }) => id === String(from + 3));
    t.deepEqual(
      source.messages
        .filter(({ event }) => event)
        .map(({ id, event, data }) => [Number(id) - from, event, data.data.n]),
      [
        [1, 'clock.shifted', 1],
        [2, 'template.created', 2],
        [3, 'clock.shifted', 3],
      ],
    );
    t.deepEqual(source.events, (await server.call('GET', `/events/?after=${from}`)).body.events);
    source.close();

    const resumed = await open(`?after=${from + 2}`, { headers: { 'last-event-id': String(from + 1) } });
    await resumed.next(({ id }) => id === String(from + 3));
    t.deepEqual(
      resumed.events.map(({ seq }) => seq - from),
      [2, 3],
    );
    resumed.close();
  },
);

test.serial('a filtered stream gets what its filter leaves, from the journal and as it happens', async (t) => {
  const from = await last();
  await write(said(1, 'clock.shifted', 'req-8'), said(2));
  const source = await open(`?after=${from}&request_id=req-8`);
  await source.next(({ id }) => id === String(from + 1));
  await write(said(3), said(4, 'template.created', 'req-8'));
  await source.next(({ id }) => id === String(from + 4));
  t.deepEqual(
    source.events.map(({ data }) => data.n),
    [1, 4],
  );
  source.close();
});

test.serial('a wrong Last-Event-ID is refused, one of another journal is told and reading goes on', async (t) => {
  for (const id of ['abc', '-1', '1.5', '99999999999999999999', '1,2']) {
    const { status, text } = await open('', { headers: { 'last-event-id': id } });
    t.is(status, 400, id);
    t.is(text === '' ? '' : JSON.parse(text).code, text === '' ? '' : 'INVALID_REQUEST');
  }
  const end = await last();
  const source = await open('', { headers: { 'last-event-id': String(end + 1000) } });
  const gap = await source.next(({ event }) => event === 'journal.gap');
  t.deepEqual(gap, {
    id: String(end),
    event: 'journal.gap',
    data: { reason: 'unknown', after: end + 1000, until: end },
  });
  await write(said(1));
  await source.next(({ id }) => id === String(end + 1));
  source.close();
  const { body: answer } = await server.call('GET', `/events/?after=${end + 1000}`);
  t.deepEqual(answer, {
    events: [],
    next: end + 1,
    gap: { reason: 'unknown', after: end + 1000, until: end + 1 },
  });
});
