import assert from 'node:assert/strict';
import {
  machineStatuses,
  noticeKinds,
  type Notice,
  type NoticeMessage,
  type NoticeSource,
} from '../../../core/index.ts';
import { formatValue } from '../answers/format.ts';
import { notJson } from '../answers/not-json.ts';
import { valueOf, outcomeOf } from '../answers/outcome.ts';
import type { ProviderHarness } from './provider-harness.ts';
import { within } from './within.ts';

/** An empty reception waits 20 s at most. */
const longestMs = 30_000;
/** Time passes in the world after a reception has waited for so long. */
const stepMs = 100;
/** A message comes again after a minute at the latest. */
const mostReceptions = 30;

/** Receives messages from the source of notices of a world as the broker does, and checks their form. */
export class NoticeInbox {
  readonly #source: NoticeSource;
  readonly #session: unknown;
  readonly #harness: ProviderHarness;

  constructor(source: NoticeSource, session: unknown, harness: ProviderHarness) {
    this.#source = source;
    this.#session = session;
    this.#harness = harness;
  }

  /** One reception. Throws the fault of the plugin. */
  async receive(): Promise<readonly NoticeMessage[]> {
    const receiving = outcomeOf(async () => this.#source.receive(this.#session, this.#harness.call()));
    for (let left = longestMs; left > 0; left -= stepMs) {
      const outcome = await within(stepMs, receiving);
      if (outcome === 'late') {
        await this.#harness.time.pass(0);
        continue;
      }
      if (outcome.kind === 'fault') throw outcome.fault;
      return checked(valueOf('notices.receive', outcome));
    }
    return assert.fail('notices.receive must return an empty list after 20 s without a message.');
  }

  /** Receives until `use` returns true. */
  async each(use: (messages: readonly NoticeMessage[]) => Promise<boolean>): Promise<void> {
    for (let count = 0; count < mostReceptions; count += 1) {
      if (await use(await this.receive())) return;
      await this.#harness.time.pass(0);
    }
  }

  /** Receives until messages have named all these machines; returns all messages. A message that never comes fails. */
  async until(
    machine_ids: readonly string[],
    isEnough: (messages: readonly NoticeMessage[]) => boolean = () => true,
  ): Promise<readonly NoticeMessage[]> {
    const all: NoticeMessage[] = [];
    const missing = () => {
      const named = new Set(all.flatMap(({ notices }) => notices.map(({ machine_id }) => machine_id)));
      return machine_ids.filter((machine_id) => !named.has(machine_id));
    };
    await this.each(async (messages) => {
      all.push(...messages);
      return missing().length === 0 && isEnough(all);
    });
    const lost = missing();
    assert.ok(
      lost.length === 0,
      `No reception brought a message about ${lost.join(', ')}. A message comes again until it is acknowledged.`,
    );
    return all;
  }

  async acknowledge(messages: readonly NoticeMessage[]): Promise<void> {
    const receipts = messages.map(({ receipt }) => receipt);
    const outcome = await outcomeOf(async () =>
      this.#source.acknowledge(this.#session, receipts, this.#harness.call()),
    );
    valueOf('notices.acknowledge', outcome);
  }
}

function checked(messages: readonly NoticeMessage[]): readonly NoticeMessage[] {
  assert.ok(Array.isArray(messages), `notices.receive must return a list, and returned ${formatValue(messages)}.`);
  const wrong = notJson(messages, 'the answer') ?? messages.flatMap((message) => wrongIn(message) ?? [])[0];
  assert.ok(wrong === undefined, `notices.receive must return messages with receipt and notices: ${wrong}.`);
  return messages;
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
