import test from 'ava';
import { silentLog, type Log } from '../../../core/contract/log.ts';
import { makePlace, until } from '../../support/boot-broker.ts';
import { openSource } from '../../support/event-source.ts';
import { serveBroker } from '../hostile/serve.ts';

test('a reader gets the events of every broker on the storage, at any of them, and resumes at another one', async (t) => {
  const place = await makePlace({
    storage: 'sqlite',
    configuration: { server: { port: 0, rate_limit: { enabled: false } } },
  });
  t.teardown(() => place.close());
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  const options = { place, storage: 'sqlite', loop: 'none', log } as const;
  const [east, west] = [await serveBroker({}, options), await serveBroker({}, options)];
  const order = { template_id: 'small', machine_count: 1 };
  const one = await openSource('/api/v1/events/', { port: west.port });
  await east.call('POST', '/machines/request', order);
  await west.call('POST', '/machines/request', order);
  await one.next(({ id, data }) => data !== undefined && id === '2');
  await east.close();
  const three = (await west.call('POST', '/machines/request', order)).body.request_id;
  await one.next(({ data }) => data?.request_id === three);
  t.deepEqual(
    one.events.map(({ seq }) => seq),
    [1, 2, 3],
  );
  // A reader that saw everything at one broker goes on at another one.
  const again = await serveBroker({}, options);
  const resumed = await openSource('/api/v1/events/', { port: again.port, headers: { 'last-event-id': '2' } });
  const last = (await west.call('POST', '/machines/request', order)).body.request_id;
  await resumed.next(({ data }) => data?.request_id === last);
  t.deepEqual(
    resumed.events.map(({ seq }) => seq),
    [3, 4],
  );
  await Promise.all([west.close(), again.close()]);
  t.deepEqual(warnings, [], 'the end of a server waits for no reader');
  await until(async () => one.ended && resumed.ended);
  t.false(one.broken || resumed.broken);
});
