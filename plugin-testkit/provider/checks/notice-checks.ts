import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { NoticeMessage } from '../../../core/index.ts';
import { formatValue } from '../answers/format.ts';
import { describeOutcome, outcomeOf } from '../answers/outcome.ts';
import type { ProviderChecks } from '../check-list.ts';
import { NoticeInbox } from '../harness/notice-inbox.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';
import { within } from '../harness/within.ts';

/** The most messages of a reception. */
const mostMessages = 200;
/** A notice may be announced with a time in whole seconds. */
const precisionMs = 2_000;

/** Checks of the notices of a type, where it has a source of them. */
export function noticeChecks({ on, when, subject }: ProviderChecks): void {
  const { notices } = subject.type;
  if (!notices) return;

  on('whether notices are configured follows from the configuration alone', async (harness) => {
    const answers = [1, 2].map(() => notices.configured(harness.config));
    assert.ok(
      typeof answers[0] === 'boolean' && answers[0] === answers[1],
      `notices.configured must give true or false, twice the same, and gave ${answers.map(formatValue).join(' and ')}.`,
    );
  });

  const { notices: source } = subject.kit;
  if (source === false) return;
  const lacks = 'notices: what announces something about a machine';
  const inboxOf = async (harness: ProviderHarness, session?: unknown): Promise<NoticeInbox> => {
    assert.ok(
      notices.configured(harness.config),
      'The kit has `notices`, so the `config` of its worlds must name a source: notices.configured must be true.',
    );
    return new NoticeInbox(notices, session ?? (await harness.session()), harness);
  };
  const minutesAgo = (harness: ProviderHarness, minutes: number): string =>
    new Date((harness.world.clock?.now() ?? Date.now()) - minutes * 60_000).toISOString();

  when(source, lacks, 'a message that is not acknowledged comes again as it was', async ({ announce }, harness) => {
    const machine_id: string = await announce(harness.world, minutesAgo(harness, 1));
    const [first] = await (await inboxOf(harness)).until([machine_id]);
    // As after a crash, before the effect of the message was stored.
    const again = await (await inboxOf(harness, await harness.connect())).until([machine_id]);
    const found = again.find((message) => names(message, machine_id));
    assert.deepEqual(
      found?.notices,
      first?.notices,
      `A message that comes again must have the same notices. It had ${formatValue(first?.notices)}, and then ${formatValue(found?.notices)}.`,
    );
  });

  when(source, lacks, 'an acknowledged message is removed, and no other', async ({ announce }, harness) => {
    const removed: string = await announce(harness.world, minutesAgo(harness, 1));
    const kept: string = await announce(harness.world, minutesAgo(harness, 1));
    const inbox = await inboxOf(harness);
    const messages = await inbox.until([removed, kept]);
    const done = messages.filter((message) => names(message, removed) && !names(message, kept));
    if (done.length === 0) return;
    for (const _ of [1, 2]) await inbox.acknowledge(done);
    const later = [...(await inbox.until([kept])), ...(await inbox.receive())];
    assert.ok(
      !later.some((message) => names(message, removed)),
      `notices.acknowledge must remove the message for good, but it came again: machine ${removed}.`,
    );
  });

  when(source, lacks, 'notices have the time at which they were announced', async ({ announce }, harness) => {
    const inbox = await inboxOf(harness);
    // The later one first: messages may come in any order.
    for (const minutes of [1, 30]) {
      const at = minutesAgo(harness, minutes);
      const machine_id: string = await announce(harness.world, at);
      const messages = await inbox.until([machine_id]);
      const [notice] = messages.flatMap((message) => message.notices).filter((each) => each.machine_id === machine_id);
      assert.ok(
        Math.abs(Date.parse(notice?.at ?? '') - Date.parse(at)) <= precisionMs,
        `A notice that was announced at ${at} has the time ${notice?.at}. The broker compares these times, because messages may come late and in any order.`,
      );
    }
  });

  when(
    source?.announceMalformed && source,
    'notices.announceMalformed: what puts a text into the source that is no message',
    'a message that cannot be read says so, is removed, and keeps no other from being read',
    async ({ announce, announceMalformed }, harness) => {
      await announceMalformed?.(harness.world);
      const machine_id: string = await announce(harness.world, minutesAgo(harness, 1));
      const inbox = await inboxOf(harness);
      const isMalformed = ({ malformed }: NoticeMessage) => malformed !== undefined;
      const messages = await inbox.until([machine_id], (all) => all.some(isMalformed));
      const broken = messages.filter(isMalformed);
      assert.ok(
        broken.length > 0,
        'notices.receive must return a message that cannot be read with `malformed` and its receipt: it is counted, reported and removed.',
      );
      await inbox.acknowledge(broken);
      const later = [...(await inbox.until([machine_id])), ...(await inbox.receive())];
      assert.ok(!later.some(isMalformed), 'notices.acknowledge must also remove a message that cannot be read.');
    },
  );

  when(
    source?.fail && source.recover && source,
    'notices.fail and notices.recover: what stops the source, and starts it again',
    'a source that fails is a fault, and after its recovery the messages come',
    async ({ announce, fail, recover }, harness) => {
      await fail?.(harness.world);
      const inbox = await inboxOf(harness);
      const outcome = await outcomeOf(() => inbox.receive());
      assert.ok(
        outcome.kind === 'fault',
        `notices.receive must throw a ProviderFault while the source fails, because without one the broker relies on its notices; ${describeOutcome(outcome)}.`,
      );
      const machine_id: string = await announce(harness.world, minutesAgo(harness, 1));
      await recover?.(harness.world);
      await inbox.until([machine_id]);
    },
  );

  when(source, lacks, 'a reception ends with its signal, and loses no message', async ({ announce }, harness) => {
    const session = await harness.session();
    const stop = new AbortController();
    const waiting = outcomeOf(async () => notices.receive(session, harness.call({ signal: stop.signal })));
    await after(50);
    stop.abort();
    const ended = await within(2_000, waiting);
    assert.ok(ended !== 'late', 'notices.receive must end within two seconds after its signal aborted.');
    const machine_id: string = await announce(harness.world, minutesAgo(harness, 1));
    await (await inboxOf(harness)).until([machine_id]);
  });

  when(source, lacks, 'many messages come in several receptions', async ({ announce }, harness) => {
    const machine_ids: string[] = [];
    for (let count = 0; count < mostMessages + 20; count += 1)
      machine_ids.push(await announce(harness.world, minutesAgo(harness, 1)));
    const inbox = await inboxOf(harness);
    const left = new Set(machine_ids);
    await inbox.each(async (messages) => {
      assert.ok(
        messages.length <= mostMessages,
        `notices.receive returned ${messages.length} messages; the broker accepts at most ${mostMessages}.`,
      );
      await inbox.acknowledge(messages);
      for (const { machine_id } of messages.flatMap((message) => message.notices)) left.delete(machine_id);
      return left.size === 0;
    });
    assert.ok(left.size === 0, `Of ${machine_ids.length} messages ${left.size} never came.`);
  });
}

const names = ({ notices }: NoticeMessage, machine_id: string): boolean =>
  notices.some((notice) => notice.machine_id === machine_id);
