import type { EventView } from '../../../../core/journal/event-view.ts';
import type { Gap } from '../../../../core/journal/journal.ts';
import { openClient, type ClientFlags } from '../../../client/open-client.ts';
import { interruption } from '../../../process/interruption.ts';
import type { Terminal } from '../../../process/terminal.ts';
import {
  followEventsOver,
  type EventAccess,
  type EventPart,
  type FollowedEvents,
} from '../../../sdk/follow-events.ts';
import { exitCodes } from '../../exit-codes.ts';
import { eventLine, gapSentence } from '../../output/event-line.ts';
import { textOf, type Form } from '../../output/print.ts';

/** How many of the latest events come first when the command line does not say it. */
const usualLimit = 10;

export interface FollowFlags extends ClientFlags {
  readonly output: Form;
}

type Input = FollowedEvents & { readonly limit?: number };

/**
 * Prints the latest events, then each one as it happens, until Ctrl-C. Goes on behind the last event when the server
 * was restarted or the connection was lost.
 */
export async function printEvents(input: Input, flags: FollowFlags, terminal: Terminal): Promise<number> {
  using stop = interruption();
  const { limit = usualLimit, ...followed } = input;
  const shown = async (event: EventView): Promise<void> => {
    const line =
      flags.output === 'table'
        ? eventLine(event, terminal)
        : await textOf('list_events', event, flags.output, terminal, { each: true });
    terminal.out(line);
  };
  const gap = (missing: Gap) => terminal.err(`muster: ${gapSentence(missing)}\n`);
  let isLost = false;
  try {
    const first = await latest({ ...followed, limit }, flags, terminal, stop.signal);
    if (first.gap) gap(first.gap);
    for (const event of first.events) await shown(event);
    const options = {
      signal: stop.signal,
      gap,
      lost: () => {
        if (!isLost) terminal.err('muster: the connection was lost; following goes on when the server answers.\n');
        isLost = true;
      },
    };
    const connect = () => connected(flags, terminal);
    for await (const event of followEventsOver(connect, { ...followed, after: first.next }, options)) {
      isLost = false;
      await shown(event);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return exitCodes.done;
}

async function latest(
  input: Input & { readonly limit: number },
  flags: ClientFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<EventPart> {
  const access = await connected(flags, terminal);
  try {
    return await access.list(input, signal);
  } finally {
    await access.close();
  }
}

async function connected(flags: ClientFlags, terminal: Terminal): Promise<EventAccess> {
  // The storage may appear while the command follows, so it is opened for writing.
  const { client } = await openClient(flags, 'write', terminal);
  return {
    list: (input, signal) => client.call('list_events', input, signal) as Promise<EventPart>,
    ...(client.open ? { open: client.open.bind(client) } : {}),
    close: () => client.close(),
  };
}
