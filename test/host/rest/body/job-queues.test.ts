import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { tickQueue, serialQueue } from '../../../../host/rest/body/job-queues.ts';
import { bootBroker } from '../../../support/boot-broker.ts';

test('the first is done at once, every other one in a turn of its own', async (t) => {
  const inTurn = tickQueue();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) inTurn(() => void done.push(name));
  t.deepEqual(done, ['a']);
  await turn();
  t.deepEqual(done, ['a', 'b']);
  inTurn(() => void done.push('d'));
  await turn();
  t.deepEqual(done, ['a', 'b', 'c']);
  await turn();
  t.deepEqual(done, ['a', 'b', 'c', 'd']);
  await turn();
  inTurn(() => void done.push('e'));
  t.is(done.at(-1), 'e');
});

test('each is done in the context of the call that it belongs to', async (t) => {
  const inTurn = tickQueue();
  const calls = new AsyncLocalStorage<string>();
  const done: (string | undefined)[] = [];
  for (const name of ['a', 'b', 'c']) calls.run(name, () => inTurn(() => void done.push(calls.getStore())));
  await turn();
  await turn();
  t.deepEqual(done, ['a', 'b', 'c']);
});

test('one that throws keeps no other one back', async (t) => {
  const inTurn = tickQueue();
  const done: string[] = [];
  t.throws(() =>
    inTurn(() => {
      throw new Error('wrong');
    }),
  );
  inTurn(() => void done.push('b'));
  await turn();
  t.deepEqual(done, ['b']);
});

test('what waits for others meanwhile is begun when the one before it is done, however that ended', async (t) => {
  const oneAfterAnother = serialQueue();
  const begun: string[] = [];
  const first = Promise.withResolvers<string>();
  const answers = [
    oneAfterAnother(() => (begun.push('a'), first.promise)),
    oneAfterAnother(async () => (begun.push('b'), Promise.reject(new Error('wrong')))),
    oneAfterAnother(async () => (begun.push('c'), 'c')),
  ];
  for (let i = 0; i < 3; i++) await turn();
  t.deepEqual(begun, ['a']);
  first.resolve('a');
  t.deepEqual(
    (await Promise.allSettled(answers)).map((each) => (each.status === 'fulfilled' ? each.value : 'refused')),
    ['a', 'refused', 'c'],
  );
  t.deepEqual(begun, ['a', 'b', 'c']);
});

test('a small call is answered before many large ones that arrived with it', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { rate_limit: { enabled: false } } },
  });
  t.teardown(() => broker.close());
  const answered: string[] = [];
  const call = async (name: string, payload: string) => {
    const headers = { 'content-type': 'application/json' };
    t.is(
      (await broker.app.inject({ method: 'POST', url: '/api/v1/templates/validate', headers, payload })).statusCode,
      200,
    );
    answered.push(name);
  };
  const large = JSON.stringify({ template_id: 'large', description: 'x'.repeat(200_000) });
  await Promise.all([
    ...Array.from({ length: 20 }, () => call('large', large)),
    call('small', '{"template_id":"small"}'),
  ]);
  t.true(answered.indexOf('small') < 10, `${answered.indexOf('small')}`);
});

test('of long lists that are requested at the same time, each turn of the event loop renders one, on every interface', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { rate_limit: { enabled: false } } },
  });
  t.teardown(() => broker.close());
  const { templateLibrary } = broker.broker.services;
  const made: number[] = [];
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  const list = templateLibrary.list.bind(templateLibrary);
  Object.assign(templateLibrary, { list: (query: object) => (made.push(turns), list(query)) });
  count();
  const headers = { 'content-type': 'application/json' };
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async (_, i) =>
      i % 2 === 0
        ? (await broker.app.inject('/api/v1/templates/?limit=1000')).statusCode
        : (
            await broker.app.inject({
              method: 'POST',
              url: '/api/v1/operations/list_templates',
              headers,
              payload: '{"limit":1000}',
            })
          ).statusCode,
    ),
  );
  over = true;
  t.deepEqual(new Set(statuses), new Set([200]));
  t.is(made.length, 10);
  t.is(new Set(made).size, 10, made.join());
});
