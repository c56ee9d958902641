import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makePlace, startBroker, until } from '../../support/boot-broker.ts';

const plugins = [
  join(import.meta.dirname, 'sink.ts'),
  'cloud',
  'cloud-runinstances',
  'default-format',
  'storage-sqlite',
];

test('a sink gets every entry of the journal at least once and in order, over a kill and over its own failures', async (t) => {
  const place = await makePlace({ configuration: { plugins } });
  t.teardown(() => place.close());
  const file = join(place.directory, 'events.log');
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const ask = async (url: string): Promise<string> => {
    const body = JSON.stringify({ template_id: 'small', machine_count: 2 });
    const answer = await fetch(`${url}/api/v1/machines/request`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    return ((await answer.json()) as { readonly request_id: string }).request_id;
  };
  // What the sink was writing when the broker was killed comes again.
  const told = (type: string) => new Set(lines().filter((line) => line.endsWith(` ${type}`))).size;

  const first = await startBroker({ place });
  t.teardown(() => first.stop());
  // A sink that is new begins with what comes after it was met.
  await until(async () => {
    await ask(first.url);
    return lines().length > 0;
  });
  const id = await ask(first.url);
  await first.kill('SIGKILL');
  const second = await startBroker({ place });
  t.teardown(() => second.stop());
  await until(async () => {
    const answer = await fetch(`${second.url}/api/v1/requests/${id}/status`);
    return ((await answer.json()) as { readonly status: string }).status === 'completed';
  });
  const asked = told('request.created');
  await until(
    async () => told('request.completed') >= told('request.created') && told('request.created') >= Math.max(1, asked),
  );

  const seqs = lines().map((line) => Number(line.split(' ')[0]));
  const fresh = seqs.filter((seq, index) => seqs.indexOf(seq) === index);
  t.deepEqual(
    fresh,
    fresh.toSorted((a, b) => a - b),
  );
  t.is(fresh.length, (fresh.at(-1) ?? 0) - (fresh[0] ?? 0) + 1);
  await second.kill('SIGTERM');
});
