import test from 'ava';
import { withWait } from '../../../host/cli/operations/with-wait.ts';

const waiting_for = { what: 'capacity', until: '2026-01-01T00:00:15.000Z' };

/** What a command shows of an answer, and the calls that it needs. */
async function shown(operation: string, answer: unknown) {
  const calls: unknown[] = [];
  const client = {
    call: async (name: string, input: unknown) => {
      calls.push([name, input]);
      return { because: 'It waits.', waiting_for };
    },
    close: async () => undefined,
  };
  return { answer: await withWait(client, operation, answer), calls };
}

test('the status of an open request says what it waits for, and until when', async (t) => {
  const open = { request_id: 'req-1', status: 'in_progress' };
  const { answer, calls } = await shown('sync_and_get_request', open);
  t.deepEqual(answer, { ...open, waiting_for });
  t.deepEqual(calls, [['explain_request', { request_id: 'req-1' }]]);
});

for (const [what, operation, answer] of [
  ['an ended request', 'sync_and_get_request', { request_id: 'req-1', status: 'completed' }],
  ['another answer', 'create_request', { request_id: 'req-1', status: 'pending' }],
] as const)
  test(`${what} is shown as it is, without a further call`, async (t) => {
    const seen = await shown(operation, answer);
    t.is(seen.answer, answer);
    t.deepEqual(seen.calls, []);
  });

test('a request that cannot be explained is shown without what it waits for', async (t) => {
  const open = { request_id: 'req-1', status: 'in_progress' };
  const client = { call: async () => Promise.reject(new Error('not now')), close: async () => undefined };
  t.is(await withWait(client, 'sync_and_get_request', open), open);
});
