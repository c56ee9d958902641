import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { openSource, type EventSource, type SourceOptions } from '../../support/event-source.ts';
import { serveBroker, type Served } from '../hostile/serve.ts';

let server: Served;
test.before(async () => {
  server = await serveBroker({}, { loop: 'inline' });
});
test.after.always(() => server.close());

const events = '/api/v1/events/';
const open = (path: string, options: SourceOptions = {}): Promise<EventSource> =>
  openSource(path, { port: server.port, gzip: true, ...options });
const write = (from: number, count: number) =>
  server.broker.store.commit(
    Array.from({ length: count }, (_, i) => newEvent(1_000, 'clock.shifted', { n: from + i, text: 'ü'.repeat(50) })),
  );
const ended = (source: EventSource) => server.until(async () => source.ended);

test.serial('a reader that accepts gzip gets the same events, each as it happens', async (t) => {
  const before = (await server.call('GET', '/events/')).body.next;
  const plain = await open(events, { gzip: false });
  const sources = [
    await open(events),
    await open(`${events}?type=clock.*`),
    await open(events, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } }),
    await open(events, { headers: { 'accept-encoding': 'GZIP, *;q=0' } }),
    await open(events, { headers: { 'accept-encoding': '*' } }),
  ];
  t.is(plain.headers['content-encoding'], undefined);
  for (const source of [plain, ...sources]) t.is(source.headers['vary'], 'Accept, Accept-Encoding');
  for (const source of sources) t.is(source.headers['content-encoding'], 'gzip');
  for (const [from, count] of [
    [0, 1],
    [1, 300],
    [301, 2],
  ] as const) {
    await write(from, count);
    const lastOne = String(before + from + count);
    for (const source of [plain, ...sources]) await source.next(({ id }) => id === lastOne);
  }
  const late = await open(`${events}?after=${before}`);
  await late.next(({ id }) => id === String(before + 303));
  for (const source of [...sources, late]) t.deepEqual(source.events, plain.events);
  for (const source of [plain, ...sources, late]) source.close();
});

test.serial('a reader that does not accept gzip gets it as it is', async (t) => {
  const plain = [
    '',
    'identity',
    'br, deflate',
    'gzip;q=0',
    'gzip;q=0, *',
    'identity, gzip;q=0.5',
    ';q=,,;',
    'x'.repeat(1_000),
  ];
  for (const accepted of plain) {
    const source = await open(events, { gzip: false, headers: { 'accept-encoding': accepted } });
    t.is(source.headers['content-encoding'], undefined, accepted);
    await source.next(({ id }) => id !== undefined);
    source.close();
  }
});

test.serial('the stream of a request ends as a whole', async (t) => {
  const create = async () =>
    (await server.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 })).body.request_id;
  const path = `/api/v1/requests/${await create()}/stream`;
  const source = await open(path);
  t.is(source.headers['content-encoding'], 'gzip');
  t.regex(String(source.headers['vary']), /, Accept-Encoding$/);
  await ended(source);
  t.false(source.broken);
  t.is(source.messages.at(-1)?.data.status, 'completed');
  // As the fetch of Node and of browsers asks for it.
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
  t.is(answer.headers.get('content-encoding'), 'gzip');
  t.regex(await answer.text(), /"status":"completed"/);
  // The time is over with a last message.
  server.simulator.setKnobs({ boot_ms: 60_000 });
  const slow = await open(`/api/v1/requests/${await create()}/stream?interval=2&timeout=1`);
  await ended(slow);
  t.false(slow.broken);
  t.deepEqual(slow.messages.at(-1)?.data, {});
});
