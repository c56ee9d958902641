import test from 'ava';
import { ProviderFault, systemClock, type Call, type Clock } from '../../../core/index.ts';
import { cloudClock } from '../../../plugins/cloud/connection/cloud-clock.ts';
import type { CloudSession } from '../../../plugins/cloud/connection/session.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { interruptionQueue } from '../../../plugins/cloud/notices/interruption-queue.ts';

const failure = new ProviderFault('unavailable', 'The connection broke.', { code: 'ECONNRESET' });
const call = { signal: new AbortController().signal } as Call;

/** A session whose queue answers each call by its number, from 0 on. */
function sessionOf(answer: (call: number, signal: AbortSignal) => object, clock: Clock = systemClock): CloudSession {
  let calls = 0;
  const act = async (_make: unknown, { signal }: Call) => answer(calls++, signal);
  return {
    clock,
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

test('a call that is not answered among several does not delay the messages of the others', async (t) => {
  const clock = new FakeClock();
  let aborted = 0;
  const session = sessionOf((page, signal) => {
    if (page !== 4) return full(page);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted += 1;
        reject(failure);
      });
    });
  }, clock);
  const receiving = interruptionQueue.receive(session, call);
  await clock.advance(2_000);
  t.is((await receiving).length, 100);
  t.is(aborted, 1, 'the call is not left open');
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
