import test from 'ava';
import type { Store } from '../../core/index.ts';
import { RequestEnds } from '../../host/metrics/request-ends.ts';
import { machinesOfTemplates, oldestOpen } from '../../host/metrics/stored-counts.ts';
import { aRequest } from '../../plugin-testkit/storage/records.ts';
import { bootBroker } from '../support/boot-broker.ts';

const ended = (fields: object) => ({ ...aRequest('req-1'), ...fields });

/** Every value, by name and labels. */
const valuesOf = (ends: RequestEnds) =>
  Object.fromEntries(
    ends
      .families()
      .flatMap(({ name, values }) =>
        values.map(({ metricName = name, labels, value }) => [
          [metricName, ...Object.values(labels)].join(' '),
          value,
        ]),
      ),
  );

test('requests that ended are counted by template and status, with what they delivered and how long they took', (t) => {
  const ends = new RequestEnds();
  const small = { kind: 'provision', template_id: 'small', machine_count: 4, created_at: 1_000 } as const;
  ends.ended(ended({ ...small, status: 'completed', delivered: 4, completed_at: 8_000 }));
  // The clock was set forward by a minute meanwhile.
  ends.ended(ended({ ...small, status: 'completed', delivered: 3, completed_at: 65_000, shifted_ms: 60_000 }));
  ends.ended(ended({ ...small, status: 'failed', delivered: 0, completed_at: 9_000 }));
  ends.ended(ended({ ...small, status: 'cancelled', delivered: 1, completed_at: 9_000 }));
  ends.ended(ended({ kind: 'return', template_id: 'small', status: 'completed', completed_at: 9_000 }));
  t.like(valuesOf(ends), {
    'muster_requests_ended_total small completed': 2,
    'muster_requests_ended_total small failed': 1,
    'muster_requests_ended_total small cancelled': 1,
    'muster_machines_delivered_total small': 8,
    'muster_machines_missing_total small': 5,
    'muster_request_delivery_seconds_count small': 2,
    'muster_request_delivery_seconds_sum small': 11,
    'muster_request_delivery_seconds_bucket small 5': 1,
    'muster_request_delivery_seconds_bucket small 10': 2,
  });
});

test('the number of templates in labels is bounded', (t) => {
  const ends = new RequestEnds();
  for (let i = 0; i < 250; i += 1)
    ends.ended(
      ended({ kind: 'provision', template_id: `t-${i}`, status: 'completed', machine_count: 1, delivered: 1 }),
    );
  const values = valuesOf(ends);
  t.is(values['muster_requests_ended_total other completed'], 150);
  t.is(values['muster_request_delivery_seconds_count other'], 150);
  t.is(Object.keys(values).filter((name) => name.startsWith('muster_machines_delivered_total')).length, 101);
});

test('the oldest open request and return are told, whatever their status', async (t) => {
  const { broker, close } = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(close);
  const { store } = broker;
  t.deepEqual(await oldestOpen(store), []);
  const put = (request_id: string, kind: 'provision' | 'return', status: 'pending' | 'in_progress', at: number) =>
    store.commit([
      { op: 'insert', kind: 'request', record: { ...aRequest(request_id), kind, status, created_at: at } },
    ]);
  await put('req-1', 'provision', 'pending', 9_000);
  await put('req-2', 'provision', 'in_progress', 5_000);
  await put('ret-1', 'return', 'in_progress', 2_000);
  t.deepEqual(await oldestOpen(store), [
    [{ kind: 'provision' }, 5],
    [{ kind: 'return' }, 2],
  ]);
});

test('a template with the name of the others shares their sample', async (t) => {
  const counts: Readonly<Record<string, number>> = { small: 2, other: 3 };
  const count = async (_: string, { template_id }: { template_id?: string }) =>
    template_id === undefined ? 6 : (counts[template_id] ?? 0);
  t.deepEqual(await machinesOfTemplates({ count } as unknown as Store, ['small', 'other']), [
    [{ template_id: 'small' }, 2],
    [{ template_id: 'other' }, 4],
  ]);
});
