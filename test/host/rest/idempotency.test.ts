import test from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await bootBroker({ loop: 'none' });
});
test.after.always(() => broker.close());

const ask = (key: string, body: unknown) => broker.call('POST', '/machines/request', body, { 'idempotency-key': key });

test('the same key and body give the same request, however the body is spelt', async (t) => {
  const first = await ask('key-1', { template_id: 'small', machine_count: 2 });
  const again = await ask('key-1', { count: 2, templateId: 'small' });
  t.is(first.status, 200);
  t.deepEqual(again.body, first.body);
});

test('the same key with another body is a conflict', async (t) => {
  await ask('key-2', { template_id: 'small', machine_count: 2 });
  const other = await ask('key-2', { template_id: 'small', machine_count: 3 });
  t.is(other.status, 409);
  t.regex(other.body.detail, /key-2/);
});

test('many calls under one key at once make one request', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask('key-3', { template_id: 'small', machine_count: 1 })),
  );
  t.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
  t.is(new Set(answers.map((answer) => answer.body.request_id)).size, 1);
});

test('a call that was refused is not remembered', async (t) => {
  t.is((await ask('key-4', { template_id: 'small', machine_count: 0 })).status, 400);
  t.is((await ask('key-4', { template_id: 'small', machine_count: 1 })).status, 200);
});

test('a key is 1 to 255 visible ASCII characters', async (t) => {
  for (const key of ['', 'two words', 'x'.repeat(256), 'ümlaut']) {
    const answer = await ask(key, { template_id: 'small', machine_count: 1 });
    t.is(answer.status, 400, key);
    t.regex(answer.body.detail, /^Idempotency-Key: /);
  }
  t.is((await ask('x'.repeat(255), { template_id: 'small', machine_count: 1 })).status, 200);
});

test('without a key every call makes a request', async (t) => {
  const ids = await Promise.all(
    Array.from(
      { length: 3 },
      async () =>
        (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 })).body.request_id,
    ),
  );
  t.is(new Set(ids).size, 3);
});
