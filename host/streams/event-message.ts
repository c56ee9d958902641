import type { Gap } from '../../core/journal/journal.ts';
import type { EventRecord } from '../../core/model/records.ts';
import { eventView } from '../../core/journal/event-view.ts';

/** The first message: how long a reader waits before it connects again, in milliseconds. */
export const greeting = 'retry: 2000\n\n';

/** A comment, which readers skip: it keeps the connection open. */
export const comment = ':\n';

/** The line after which a reader goes on when it connects again. Without data it is no message. */
export const idLine = (seq: number): string => `id: ${seq}\n`;

/** An event as a message of a stream. */
export function eventMessage(event: EventRecord): Buffer {
  const view = eventView(event);
  return Buffer.from(`${idLine(view.seq)}event: ${view.type}\ndata: ${JSON.stringify(view)}\n\n`);
}

/** The message that events may be missing. A reader of another journal goes on in this one. */
export function gapMessage(gap: Gap): Buffer {
  const id = gap.reason === 'unknown' ? idLine(gap.until) : '';
  return Buffer.from(`${id}event: journal.gap\ndata: ${JSON.stringify(gap)}\n\n`);
}
