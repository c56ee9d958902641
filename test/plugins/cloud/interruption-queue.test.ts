import test from 'ava';
import { ProviderFault, systemClock } from '../../../core/index.ts';
import { cloudClock } from '../../../plugins/cloud/connection/cloud-clock.ts';
import type { CloudSession } from '../../../plugins/cloud/connection/session.ts';
import { interruptionQueue } from '../../../plugins/cloud/notices/interruption-queue.ts';

const failure = new ProviderFault('unavailable', 'The connection broke.', { code: 'ECONNRESET' });
const call = { signal: new AbortController().signal } as never;

/** A session whose queue answers each call by its number, from 0 on. */
function sessionOf(answer: (call: number) => object): CloudSession {
  let calls = 0;
  const act = async () => answer(calls++);
  return {
    instance: 'east',
    settings: { interruption_queue: { url: 'https://sqs.test/1/events' } },
    cloudClock: cloudClock(systemClock),
    queues: { read: act, write: act },
  } as unknown as CloudSession;
}

const full = (page: number) => ({
  Messages: Array.from({ length: 10 }, (_, index) => ({ ReceiptHandle: `${page}-${index}`, Body: '{}' })),
});

test('a call that fails among several keeps the messages of the others', async (t) => {
  const session = sessionOf((page) => {
    if (page === 4) throw failure;
    return full(page);
  });
  const messages = await interruptionQueue.receive(session, call);
  t.is(messages.length, 100, 'the first call, and nine of ten');
});

test('a first call that fails is a fault', async (t) => {
  const session = sessionOf(() => {
    throw failure;
  });
  await t.throwsAsync(interruptionQueue.receive(session, call), { message: /does not serve: The connection broke/ });
});

test('messages that the queue does not delete are a fault, after all others are deleted', async (t) => {
  let deletions = 0;
  const session = sessionOf((page) => {
    deletions += 1;
    return page === 0 ? { Failed: [{ Id: '3', Code: 'ReceiptHandleIsInvalid', SenderFault: true }] } : {};
  });
  const receipts = Array.from({ length: 150 }, (_, index) => `r-${index}`);
  await t.throwsAsync(interruptionQueue.acknowledge(session, receipts, call), {
    message: /1 of 150 messages cannot be deleted \(ReceiptHandleIsInvalid\)/,
  });
  t.is(deletions, 15);
});
