import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { machineStatuses, noticeKinds, type Notice, type NoticeMessage } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { notJson } from '../answers/not-json.ts';
import { delivered, outcomeOf } from '../answers/outcome.ts';
import { formatValue } from '../answers/format.ts';
import { within } from '../harness/within.ts';

/** An empty reception waits 20 s at most. */
const longestMs = 30_000;

/** Checks of the notices of a type, where the configuration of the world has some. */
export function noticeChecks({ on, subject }: ProviderChecks): void {
  const { notices } = subject.type;
  if (!notices) return;

  on('whether notices are configured follows from the configuration alone', async (harness) => {
    const answers = [1, 2].map(() => notices.configured(harness.config));
    assert.ok(
      typeof answers[0] === 'boolean' && answers[0] === answers[1],
      `notices.configured must give true or false, twice the same, and gave ${answers.map(formatValue).join(' and ')}.`,
    );
  });

  on('notices are received, acknowledged twice, and end with their signal', async (harness) => {
    if (!notices.configured(harness.config)) return;
    const session = await harness.session();
    const receiving = delivered('notices.receive', async () => notices.receive(session, harness.call()));
    const messages = await within(longestMs, receiving);
    assert.ok(messages !== 'late', 'notices.receive must return an empty list after 20 s without a message.');
    assert.ok(Array.isArray(messages), `notices.receive must return a list, and returned ${formatValue(messages)}.`);
    const wrong = notJson(messages, 'the answer') ?? messages.flatMap((message) => wrongIn(message) ?? [])[0];
    assert.ok(wrong === undefined, `notices.receive must return messages with receipt and notices: ${wrong}.`);
    const receipts = messages.map(({ receipt }) => receipt);
    if (receipts.length > 0)
      for (const _ of [1, 2])
        await delivered('notices.acknowledge', async () => notices.acknowledge(session, receipts, harness.call()));
    const stop = new AbortController();
    const waiting = outcomeOf(async () => notices.receive(session, harness.call({ signal: stop.signal })));
    await after(50);
    stop.abort();
    const ended = await within(2_000, waiting);
    assert.ok(ended !== 'late', 'notices.receive must end within two seconds after its signal aborted.');
  });
}

function wrongIn({ receipt, notices }: NoticeMessage): string | undefined {
  if (typeof receipt !== 'string' || receipt === '') return `the receipt ${formatValue(receipt)} is no text`;
  if (!Array.isArray(notices)) return `the notices of '${receipt}' are ${formatValue(notices)}`;
  const wrong = notices.find((notice) => !isNotice(notice));
  return wrong === undefined ? undefined : `the message '${receipt}' has the notice ${formatValue(wrong)}`;
}

function isNotice(notice: Notice): boolean {
  const { machine_id, kind, at } = notice;
  if (typeof machine_id !== 'string' || !noticeKinds.includes(kind) || Number.isNaN(Date.parse(at))) return false;
  if (kind === 'state') return machineStatuses.includes(notice.status);
  if (kind === 'rebalance') return true;
  return (kind === 'scheduled' && notice.reclaim_at === null) || !Number.isNaN(Date.parse(notice.reclaim_at ?? ''));
}
