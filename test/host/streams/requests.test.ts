import test from 'ava';
import { openSource, type EventSource, type SourceOptions } from '../../support/event-source.ts';
import { serveBroker, type Served } from '../hostile/serve.ts';

let server: Served;
test.before(async () => {
  server = await serveBroker({}, { loop: 'inline' });
});
test.after.always(() => server.close());

const open = (request_id: string, query = '', options: SourceOptions = {}): Promise<EventSource> =>
  openSource(`/api/v1/requests/${request_id}/stream${query}`, { port: server.port, ...options });
const create = async (machine_count = 2): Promise<string> =>
  (await server.call('POST', '/machines/request', { template_id: 'small', machine_count })).body.request_id;
const ended = (source: EventSource) => server.until(async () => source.ended);
const documents = (source: EventSource) => source.messages.flatMap(({ data }) => (data === undefined ? [] : [data]));

test.serial(
  'a stream has the present status document and one at each change, and ends with the request',
  async (t) => {
    const id = await create();
    const sources = await Promise.all([open(id), open(id, '?long=false'), open(id, '?timeout=300')]);
    await Promise.all(sources.map(ended));
    const last = (await server.call('GET', `/requests/${id}/status`)).body;
    for (const source of sources) {
      t.is(source.status, 200);
      t.is(source.headers['content-type'], 'text/event-stream; charset=utf-8');
      const seen = documents(source);
      t.true(seen.length >= 2, `${seen.length}`);
      t.is(seen.at(-1)?.status, 'completed');
      t.is(seen.filter(({ status }) => status === 'completed').length, 1);
      t.false(source.broken);
    }
    t.deepEqual(documents(sources[0] as EventSource).at(-1), last);
    t.is(documents(sources[1] as EventSource).at(-1).machines, undefined);

    // A browser connects again when the server ends the answer, unless the server says that there is nothing more.
    const again = await open(id, '', { headers: { 'last-event-id': (sources[0] as EventSource).lastId ?? '' } });
    t.is(again.status, 204);
    const late = await open(id);
    await ended(late);
    t.deepEqual(documents(late), [last]);
    const { body } = await server.call('POST', '/machines/return', {
      machine_ids: last.machines.map(({ machine_id }: { machine_id: string }) => machine_id),
    });
    const returning = await open(body.request_id);
    await ended(returning);
    t.is(documents(returning).at(-1).status, 'completed');
  },
);

test.serial(
  'for a client that names an interval each message is a list, and the end of the time a message',
  async (t) => {
    const source = await open(await create(1), '?interval=2&timeout=300');
    await ended(source);
    t.is(documents(source).at(-1).requests[0].status, 'completed');
    server.simulator.setKnobs({ boot_ms: 60_000 });
    t.teardown(() => server.simulator.setKnobs({ boot_ms: 50 }));
    const slow = await open(await create(1), '?interval=2&timeout=1');
    await ended(slow);
    t.deepEqual(documents(slow).at(-1), {});
    t.regex(documents(slow).at(-2).requests[0].status, /^(pending|in_progress)$/);
    t.false(slow.broken);
  },
);

test.serial('the stream has the format of the call', async (t) => {
  const id = await create(1);
  const source = await open(id, '', { headers: { 'x-scheduler': 'hostfactory' } });
  await ended(source);
  const last = documents(source).at(-1);
  t.is(last.requests[0].requestId, id);
  t.is(last.requests[0].status, 'complete');
});

test.serial('a stream without an end ends after its timeout; wrong calls are refused before it begins', async (t) => {
  const id = await create(1);
  server.simulator.setKnobs({ boot_ms: 3_600_000 });
  t.teardown(() => server.simulator.setKnobs({ boot_ms: 50 }));
  const slow = await create(1);
  const source = await open(slow, '?timeout=1');
  await ended(source);
  t.false(source.broken);
  t.not(documents(source).at(-1).status, 'completed');
  await server.call('DELETE', `/requests/${slow}`);
  for (const [target, query, status] of [
    ['req-nothing', '', 404],
    [id, '?timeout=0', 400],
    [id, '?timeout=x', 400],
    [id, '?timeout=86401', 400],
    [id, '?interval=-1', 400],
    [id, '?interval=99999', 400],
    [id, '?nothing=1', 400],
  ] as const) {
    const refused = await open(target, query);
    t.is(refused.status, status, `${target}${query}`);
    refused.close();
  }
  t.is((await open(id, '', { headers: { 'x-scheduler': 'symphony' } })).status, 400);
});
