import { chunks } from '../../../collections/chunks.ts';
import type { Notice, NoticeMessage } from '../../../contract/notice.ts';
import type { Change, Store } from '../../../contract/storage.ts';
import { newSignalId } from '../../../model/ids.ts';
import type { MachineRecord } from '../../../model/machine.ts';
import type { NoticeOutcome } from '../../../providers/guard/meter/provider-meter.ts';
import { isNews } from '../../apply/announcements.ts';
import { isAlive } from '../../state/machine-life.ts';
import { isConfirmed, type NoticedState } from './unconfirmed-states.ts';

/** The most machines of one query, and of one signal. */
const atOnce = 200;
/**
 * A notice about an unknown machine is left for so long: the launch of the machine may not be stored yet. A later
 * notice can never matter.
 */
const unknownMs = 120_000;

/** What to store for messages, and which messages need nothing more afterwards. */
export interface Noticed {
  /** One signal for each request, more where it has many notices. */
  readonly signals: readonly Change[];
  /** The receipts of the messages to acknowledge once the signals are stored. */
  readonly receipts: readonly string[];
  readonly counts: readonly { readonly kind: string; readonly outcome: NoticeOutcome }[];
  /** The instances of the machines that have a state of a notice. */
  readonly heard: ReadonlySet<string>;
  /** The states of notices that their machines do not have. */
  readonly unconfirmed: readonly NoticedState[];
}

/** The instances whose machines notices may name. */
export interface NoticedInstances {
  /** Those on the cloud that sent the notices. */
  readonly alike: ReadonlySet<string>;
  /** Those that are not connected yet, and may be on that cloud. */
  readonly unconnected: ReadonlySet<string>;
}

/**
 * Finds the machines of the notices among those of the instances. A message that may be about a machine of an instance
 * that is not connected yet is left.
 */
export async function noticedSignals(
  messages: readonly NoticeMessage[],
  { alike, unconnected }: NoticedInstances,
  store: Store,
  now: number,
): Promise<Noticed> {
  const found = await stored(messages, store);
  const machines = Map.groupBy(
    found.filter(({ provider_instance }) => alike.has(provider_instance)),
    ({ machine_id }) => machine_id,
  );
  const later = new Set(
    found.flatMap((machine) =>
      isAlive(machine) && unconnected.has(machine.provider_instance) ? [machine.machine_id] : [],
    ),
  );
  const news: { readonly notice: Notice; readonly machine: MachineRecord }[] = [];
  const seen = new Set<string>();
  const receipts: string[] = [];
  const counts: { kind: string; outcome: NoticeOutcome }[] = [];
  const heard = new Set<string>();
  const unconfirmed: NoticedState[] = [];
  for (const { receipt, notices, malformed } of messages) {
    const waiting = new Set(
      notices.filter(
        (notice) => !machines.has(notice.machine_id) && (later.has(notice.machine_id) || mayBelong(notice, now)),
      ),
    );
    // The whole message comes again, and what is applied now has no effect then.
    if (waiting.size === 0 && receipt !== '') receipts.push(receipt);
    if (malformed !== undefined) counts.push({ kind: 'other', outcome: 'malformed' });
    else if (notices.length === 0) counts.push({ kind: 'other', outcome: 'unknown' });
    for (const notice of notices) {
      if (waiting.has(notice)) continue;
      const mine = machines.get(notice.machine_id) ?? [];
      if (notice.kind === 'state') {
        const confirmed = mine.filter((machine) => isConfirmed(machine, notice.status));
        for (const machine of confirmed) heard.add(machine.provider_instance);
        if (confirmed.length === 0) unconfirmed.push({ machine_id: notice.machine_id, status: notice.status });
      }
      const text = JSON.stringify(notice);
      const changed = seen.has(text) ? [] : mine.filter((machine) => isNews(notice, machine, now));
      seen.add(text);
      news.push(...changed.map((machine) => ({ notice, machine })));
      const outcome = mine.length === 0 ? 'unknown' : changed.length === 0 ? 'unchanged' : 'stored';
      counts.push({ kind: notice.kind, outcome });
    }
  }
  const byRequest = Map.groupBy(news, ({ machine }) => machine.request_id);
  const signals = [...byRequest].flatMap(([request_id, mine]) =>
    chunks(mine, atOnce).map(
      (part): Change => ({
        op: 'insert',
        kind: 'signal',
        record: {
          signal_id: newSignalId(),
          kind: 'noticed',
          request_id,
          machines: part.map(({ machine: { provider_instance, machine_id } }) => ({ provider_instance, machine_id })),
          noticed: part.map(({ notice }) => notice),
          created_at: now,
          applied: false,
        },
      }),
    ),
  );
  return { signals, receipts, counts, heard, unconfirmed };
}

/** The stored machines that the notices name, the gone ones included. */
async function stored(messages: readonly NoticeMessage[], store: Store): Promise<readonly MachineRecord[]> {
  const ids = new Set(messages.flatMap(({ notices }) => notices.map(({ machine_id }) => machine_id)));
  const found: MachineRecord[] = [];
  for (const machine_id of chunks([...ids], atOnce))
    found.push(...(await store.find('machine', { where: { machine_id } })));
  return found;
}

/** A new state of a machine that is being launched is observed anyway. */
const mayBelong = ({ kind, at }: Notice, now: number): boolean =>
  kind !== 'state' && Math.abs(now - Date.parse(at)) < unknownMs;
