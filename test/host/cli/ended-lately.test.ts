import test from 'ava';
import { printEndedLately } from '../../../host/cli/operations/ended-lately.ts';

const ended = { requests: [{ request_id: 'req-9', status: 'completed' }], count: 1, total_count: 7 };
const none = { requests: [], count: 0, total_count: 0 };

/** What is printed below the answer to a list, and the inputs of the calls that it needs. */
async function below(operation: string, input: object, answer: unknown, all: unknown = ended) {
  const calls: unknown[] = [];
  let printed = '';
  const client = {
    call: async (_: string, asked: unknown) => {
      calls.push(asked);
      return all;
    },
    close: async () => undefined,
  };
  const terminal = { out: (text: string) => void (printed += text), err: () => undefined };
  await printEndedLately(client, operation, { ...input }, answer, {
    ...terminal,
    outIsScreen: false,
    errIsScreen: false,
    colors: false,
  });
  return { printed, calls };
}

test('an empty list of active requests is followed by those that ended last', async (t) => {
  const { printed, calls } = await below('list_active_requests', {}, none);
  t.deepEqual(calls, [{ all_resources: true, sort: 'completed_at:desc', limit: 5 }]);
  t.regex(printed, /^\nEnded lately:\nREQUEST ID .*\nreq-9 +completed/);
});

for (const [what, operation, input, answer, all] of [
  ['a list with entries', 'list_active_requests', {}, ended],
  ['a list of one status', 'list_active_requests', { status: 'failed' }, none],
  ['a list of all requests', 'list_active_requests', { all_resources: true }, none],
  ['another list', 'list_machines', {}, none],
  ['an empty storage', 'list_active_requests', {}, none, none],
] as const)
  test(`${what} is followed by nothing`, async (t) => {
    t.is((await below(operation, input, answer, all)).printed, '');
  });
