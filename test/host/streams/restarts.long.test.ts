import test from 'ava';
import { makePlace, startBroker, until } from '../../support/boot-broker.ts';
import { openSource, type EventSource } from '../../support/event-source.ts';

const order = JSON.stringify({ template_id: 'small', machine_count: 1 });

async function post(url: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const answer = await fetch(`${url}/api/v1/machines/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: order,
    });
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    await answer.text();
  }
}

for (const workers of [1, 3])
  test(`readers of a server with ${workers} workers that is killed again and again miss no event and get none twice`, async (t) => {
    const place = await makePlace({ configuration: { server: { port: 0, workers, rate_limit: { enabled: false } } } });
    t.teardown(() => place.close());
    const seen: number[][] = Array.from({ length: 6 }, () => []);
    const position = seen.map(() => '0');
    for (let round = 0; round < 3; round++) {
      const server = await startBroker({ place });
      const port = Number(new URL(server.url).port);
      const sources: EventSource[] = await Promise.all(
        position.map((id) => openSource('/api/v1/events/', { port, headers: { 'last-event-id': id } })),
      );
      await post(server.url, 20);
      // Some readers are stopped in the middle of what the broker does.
      await until(async () => sources.some(({ events }) => events.length > 10));
      await server.kill(round === 1 ? 'SIGTERM' : 'SIGKILL');
      await until(async () => sources.every(({ ended }) => ended));
      for (const [index, source] of sources.entries()) {
        t.is(source.status, 200);
        seen[index]?.push(...source.events.map(({ seq }) => seq));
        position[index] = source.lastId ?? position[index] ?? '0';
      }
    }
    const server = await startBroker({ place });
    t.teardown(() => server.stop());
    const { next } = (await (await fetch(`${server.url}/api/v1/events/?after=0&limit=1000`)).json()) as any;
    t.true(next >= 60);
    for (const [index, id] of position.entries()) {
      const source = await openSource('/api/v1/events/', {
        port: Number(new URL(server.url).port),
        headers: { 'last-event-id': id },
      });
      if (Number(id) < next) await source.next(({ id: last }) => Number(last) >= next);
      source.close();
      const all = [...(seen[index] ?? []), ...source.events.map(({ seq }) => seq)].filter((seq) => seq <= next);
      t.deepEqual(
        all,
        Array.from({ length: next }, (_, n) => n + 1),
        `reader ${index}`,
      );
    }
  });

test('one worker refuses streams beyond its part of the maximum, and says when to try again', async (t) => {
  const server = await startBroker({
    configuration: { server: { port: 0, workers: 2, max_streams: 4, rate_limit: { enabled: false } } },
  });
  t.teardown(() => server.stop());
  const port = Number(new URL(server.url).port);
  const sources = await Promise.all(Array.from({ length: 8 }, () => openSource('/api/v1/events/', { port })));
  t.deepEqual(sources.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 503, 503, 503, 503]);
  const refused = sources.find(({ status }) => status === 503);
  t.is(refused?.headers['retry-after'], '5');
  for (const source of sources) source.close();
});
