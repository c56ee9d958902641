import { BrokerError } from '../../../core/contract/errors.ts';
import type { EventFilter } from '../../../core/journal/event-filter.ts';
import { eventFilter } from '../../../core/operations/events/events.ts';
import type { Broker } from '../../compose.ts';
import { EventFeed } from '../../streams/event-feed.ts';
import type { OpenStreams } from '../../streams/open-streams.ts';
import type { Follow } from '../bind-operation.ts';

type Followed = EventFilter & { readonly after?: number };

/** Answers `list_events` with a stream of the events behind `Last-Event-ID` or `after`, else of those from now on. */
export function followEvents({ services, store, log }: Broker, streams: OpenStreams): Follow {
  const feed = new EventFeed(store, services.journal, services.clock, log, streams.turns);
  streams.measure(() => feed.rendered);
  return async (input, { headers }, reply) => {
    const { after, ...given } = input as Followed;
    const filter = eventFilter(given);
    await feed.follow(filter, lastEventId(headers['last-event-id']) ?? after, () => streams.open(reply));
  };
}

/** Whether a header is the number of an event. */
export const isEventId = (header: unknown): header is string =>
  typeof header === 'string' && /^\d{1,15}$/.test(header.trim());

/** The number in the header of a reader that connects again. */
function lastEventId(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (isEventId(header)) return Number(header);
  throw new BrokerError(
    'INVALID_REQUEST',
    'Last-Event-ID: must be the id of an event of this stream, an integer from 0.',
  );
}
