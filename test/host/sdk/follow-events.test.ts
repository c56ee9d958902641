import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { clientOver } from '../../../host/sdk/client.ts';
import { messagesIn } from '../../../host/sdk/event-messages.ts';
import { connect, type EventView } from '../../../host/sdk/index.ts';
import { localExecutor } from '../../../host/sdk/local-executor.ts';
import { makePlace, until } from '../../support/boot-broker.ts';
import { serveBroker, type Served } from '../hostile/serve.ts';

const write = ({ broker }: Served, n: number) =>
  broker.store.commit([newEvent(0, 'clock.shifted', { n }, `req-${n % 2}`)]);

test('a program follows the events over a restart of the server, each once and in order', async (t) => {
  const place = await makePlace({ configuration: { server: { port: 0, rate_limit: { enabled: false } } } });
  t.teardown(() => place.close());
  const options = { place, storage: 'sqlite', loop: 'none' } as const;
  const first = await serveBroker({}, options);
  await write(first, 0);
  const muster = await connect({ url: `http://127.0.0.1:${first.port}` });
  const stop = new AbortController();
  const seen: EventView[] = [];
  const lost: unknown[] = [];
  const following = (async () => {
    const followed = muster.followEvents(
      { after: 0, type: ['clock.shifted'] },
      { signal: stop.signal, lost: (error) => lost.push(error) },
    );
    for await (const event of followed) seen.push(event);
  })();
  await until(async () => seen.length === 1);
  await write(first, 1);
  await until(async () => seen.length === 2);
  await first.close();
  await until(async () => lost.length > 0);
  const port = `"port":${first.port}`;
  const { readFile, writeFile } = process.getBuiltinModule('node:fs/promises');
  const file = `${place.directory}/muster.config.json`;
  await writeFile(file, (await readFile(file, 'utf8')).replace('"port":0', port));
  const second = await serveBroker({}, options);
  t.is(second.port, first.port);
  await write(second, 2);
  await until(async () => seen.length === 3);
  t.deepEqual(
    seen.map(({ seq, data }) => [seq, data['n']]),
    [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
  );
  stop.abort(new Error('enough'));
  await t.throwsAsync(following, { message: 'enough' });
  await Promise.all([muster.close(), second.close()]);
});

test('a program follows the events of a broker in its process; a filter and a gap are told alike', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  await write(server, 1);
  const muster = clientOver(localExecutor(server.broker), async () => {});
  const remote = await connect({ url: `http://127.0.0.1:${server.port}` });
  for (const client of [muster, remote]) {
    const gaps: unknown[] = [];
    const { next } = await client.list_events({ limit: 1 });
    const events: number[] = [];
    const written = until(async () => gaps.length > 0).then(async () => {
      await write(server, 2);
      await write(server, 3);
    });
    const followed = client.followEvents({ after: next + 100, request_id: 'req-1' }, { gap: (gap) => gaps.push(gap) });
    for await (const { data } of followed) {
      events.push(Number(data['n']));
      break;
    }
    await written;
    t.deepEqual(events, [3]);
    t.deepEqual(gaps[0], { reason: 'unknown', after: next + 100, until: next });
  }
  await remote.close();
});

test('a server that cannot be reached, or that refuses, is told at once', async (t) => {
  const away = await connect({ url: 'http://127.0.0.1:9' });
  const take = async (client: typeof away, type?: string[]) => {
    for await (const _ of client.followEvents(type ? { type } : {})) break;
  };
  await t.throwsAsync(take(away), { message: /cannot be reached/ });
  const server = await serveBroker();
  t.teardown(() => server.close());
  const muster = await connect({ url: `http://127.0.0.1:${server.port}` });
  await t.throwsAsync(take(muster, ['nothing.happened']), { message: /no events of the type 'nothing.happened'/ });
  await Promise.all([away.close(), muster.close()]);
});

test('messages are read however they are cut', async (t) => {
  const text =
    'retry: 2000\n\n:\n\nid: 1\nevent: a\ndata: "é"\n\nid: 2\n\n:\nid: 3\ndata: x\ndata:y\r\n\r\nid: 4\ndata: cut';
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 7, 1_000]) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const found = await Array.fromAsync(messagesIn(ReadableStream.from(parts) as AsyncIterable<Uint8Array>));
    t.deepEqual(found, [
      { id: '1', event: 'a', data: '"é"' },
      { id: '3', event: 'message', data: 'x\ny' },
    ]);
  }
});
