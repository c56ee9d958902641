import {
  chunks,
  isFault,
  type Call,
  type NoticeMessage,
  type NoticeSource,
  ProviderFault,
} from '../../../core/index.ts';
import type { CloudConfig } from '../config.ts';
import type { CloudSession } from '../connection/session.ts';
import { readMessage, type QueueMessage } from './read-message.ts';

/** The most messages of a call of SQS, and the longest wait for one. */
const messagesPerCall = 10;
const longestWaitS = 20;
/** A message that is not deleted comes again after this time. */
const hiddenS = 30;
/** While messages wait, so many calls are sent at once, up to so many messages in all. */
const callsAtOnce = 10;
const mostMessages = 200;
/** A call for messages that wait is given up after this time: the messages of the others must not be late. */
const giveUpMs = 1_000;

/**
 * Notices from a queue of SQS to which rules of EventBridge send the events of the account: warnings and rebalance
 * recommendations of Spot instances, changes of state, and scheduled changes of AWS Health.
 */
export const interruptionQueue: NoticeSource<CloudConfig, CloudSession> = {
  configured: ({ interruption_queue }) => typeof interruption_queue?.url === 'string',

  async receive(session, call) {
    return withRemedy(session, async () => {
      const first = await receive(longestWaitS, call);
      const messages = [...first];
      // A full answer means that more messages wait.
      let isMore = first.length === messagesPerCall;
      while (isMore && messages.length + callsAtOnce * messagesPerCall <= mostMessages) {
        const pages = await receiveMore();
        // What came is used: it is hidden in the queue. A failure that lasts fails the next reception.
        messages.push(...pages.flatMap((page) => (page.status === 'fulfilled' ? page.value : [])));
        isMore = pages.every((page) => page.status === 'fulfilled' && page.value.length === messagesPerCall);
      }
      return messages.map((message): NoticeMessage => readMessage(message, session.cloudClock));
    });

    async function receiveMore(): Promise<readonly PromiseSettledResult<readonly QueueMessage[]>[]> {
      const ended = new AbortController();
      const late = new AbortController();
      const limited = { ...call, signal: AbortSignal.any([call.signal, late.signal]) };
      void session.clock.sleep(giveUpMs, ended.signal).then(
        () => late.abort(),
        () => undefined,
      );
      try {
        return await Promise.allSettled(Array.from({ length: callsAtOnce }, () => receive(0, limited)));
      } finally {
        ended.abort();
      }
    }

    async function receive(waitS: number, within: Call): Promise<readonly QueueMessage[]> {
      const { Messages = [] } = await session.queues.read(
        (sqs) =>
          new sqs.ReceiveMessageCommand({
            QueueUrl: urlOf(session),
            MaxNumberOfMessages: messagesPerCall,
            WaitTimeSeconds: waitS,
            VisibilityTimeout: hiddenS,
          }),
        within,
      );
      return Messages.filter(({ ReceiptHandle }) => ReceiptHandle);
    }
  },

  async acknowledge(session, receipts, call) {
    await withRemedy(session, async () => {
      const codes: string[] = [];
      for (const part of chunks(receipts, callsAtOnce * messagesPerCall))
        codes.push(...(await Promise.all(chunks(part, messagesPerCall).map(remove))).flat());
      const [code] = codes;
      if (code === undefined) return;
      const text = `${codes.length} of ${receipts.length} messages cannot be deleted (${code}); they come again.`;
      throw new ProviderFault('unavailable', text, { code });
    });

    /** The code of each message that cannot be deleted. */
    async function remove(handles: readonly string[]): Promise<readonly string[]> {
      const { Failed = [] } = await session.queues.write(
        (sqs) =>
          new sqs.DeleteMessageBatchCommand({
            QueueUrl: urlOf(session),
            Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
          }),
        call,
      );
      return Failed.map(({ Code = 'unknown' }) => Code);
    }
  },
};

const urlOf = ({ settings }: CloudSession): string => settings.interruption_queue.url ?? '';

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /NonExistentQueue|QueueDoesNotExist|InvalidAddress|UnsupportedOperation/,
    'Create the queue, or correct interruption_queue.url.',
  ],
  [/AccessDenied/, 'Allow sqs:ReceiveMessage and sqs:DeleteMessage on the queue.'],
  [
    /^E[A-Z_]+$|Timeout|TIMEOUT|NetworkingError/,
    'Check that the address in interruption_queue.url can be reached from this host.',
  ],
  [/Throttl|OverLimit/, 'The queue is read again later.'],
];

/** Names the queue and the remedy in the message of a fault. */
async function withRemedy<T>({ settings, instance }: CloudSession, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isFault(error)) throw error;
    const { kind, code = '', message } = error;
    const remedy = remedies.find(([pattern]) => pattern.test(code))?.[1] ?? 'Check interruption_queue.';
    const said = `The queue ${settings.interruption_queue.url} of '${instance}' does not serve: ${message} ${remedy}`;
    throw new ProviderFault(kind, said, { ...(code === '' ? {} : { code }), cause: error });
  }
}
