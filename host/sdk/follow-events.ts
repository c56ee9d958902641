import { setTimeout as sleep } from 'node:timers/promises';
import type { EventView } from '../../core/journal/event-view.ts';
import type { Gap } from '../../core/journal/journal.ts';
import { asSdkError } from './errors.ts';
import type { EventMessage } from './event-messages.ts';

/** Which events are followed: the input of `list_events`, without `limit`. */
export interface FollowedEvents {
  /** Only events behind this `seq`. Default: those from now on. */
  readonly after?: number;
  readonly type?: readonly string[];
  readonly request_id?: string;
  readonly machine_id?: string;
}

/** A part of the journal, as `list_events` answers it. */
export interface EventPart {
  readonly events: readonly EventView[];
  readonly next: number;
  readonly gap?: Gap;
}

/** A connection to a journal. */
export interface EventAccess {
  list(input: FollowedEvents & { readonly limit: number }, signal: AbortSignal | undefined): Promise<EventPart>;
  /** Opens a stream; resolves when it begins. Absent: the journal is in this process, and is asked again and again. */
  open?(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<EventMessage>>;
  close(): Promise<void>;
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called when events may be missing: the retention removed them, or the journal is another one. */
  gap?(gap: Gap): void;
  /** Called when the connection was lost; the next one resumes exactly behind the last event. */
  lost?(error: Error | undefined): void;
}

const listedAtOnce = 1_000;
const pollMs = 1_000;
/** The pause before the next try. It doubles with each failure. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * The events of a journal as they happen, each once and in order. A lost connection is made anew by `connect`. Rejects
 * when the first connection fails, when a call is refused for good, and with the reason of the signal.
 */
export async function* followEventsOver(
  connect: () => Promise<EventAccess>,
  { after, ...filter }: FollowedEvents,
  { signal, gap, lost }: FollowOptions = {},
): AsyncGenerator<EventView> {
  let position = after;
  let pause = firstPauseMs;
  for (let first = true; ; ) {
    let access: EventAccess | undefined;
    try {
      access = await connect();
      position ??= (await access.list({ ...filter, limit: 1 }, signal)).next;
      const parts = access.open ? streamed(await begun(access.open, position), position) : listed(access, position);
      first &&= !access.open;
      for await (const found of parts) {
        first = false;
        pause = firstPauseMs;
        if ('gap' in found) gap?.(found.gap);
        else if ('event' in found) yield found.event;
        position = found.position;
      }
      // The server stopped.
      lost?.(undefined);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const failure = asSdkError(error);
      if (first || !mayPass(failure.code)) throw failure;
      lost?.(failure);
    } finally {
      await access?.close();
    }
    await pausing(pause, signal);
    pause = Math.min(longestPauseMs, pause * 2);
  }

  function begun(open: NonNullable<EventAccess['open']>, from: number): Promise<AsyncIterable<EventMessage>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter))
      if (value !== undefined) query.set(name, [value].flat().join(','));
    return open(`/api/v1/events/?${query}`, { 'last-event-id': String(from) }, signal);
  }

  async function* streamed(messages: AsyncIterable<EventMessage>, from: number) {
    let at = from;
    for await (const { id, event, data } of messages) {
      at = Math.max(at, Number(id ?? at));
      if (event === 'journal.gap') {
        const missing = JSON.parse(data) as Gap;
        if (missing.reason === 'unknown') at = missing.until;
        yield { gap: missing, position: at };
      } else yield { event: JSON.parse(data) as EventView, position: at };
    }
  }

  async function* listed(access: EventAccess, from: number) {
    let told: number | undefined;
    for (let at = from; ; ) {
      const part = await access.list({ ...filter, after: at, limit: listedAtOnce }, signal);
      if (part.gap && part.gap.until !== told) yield { gap: part.gap, position: at };
      told = part.gap?.until ?? told;
      for (const event of part.events) yield { event, position: event.seq };
      const isEnd = part.next === at;
      at = part.next;
      yield { position: at };
      if (isEnd) await pausing(pollMs, signal);
    }
  }
}

/** Whether the same call may succeed later. */
const mayPass = (code: string): boolean => code === 'UNAVAILABLE' || code === 'RATE_LIMITED';

async function pausing(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error;
  });
}
