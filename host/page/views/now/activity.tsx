import { recent } from '../../api/live.ts';
import { RequestLink } from '../../parts/links.tsx';
import { Empty } from '../../parts/show.tsx';
import { Shape, type Mark } from '../../parts/state-mark.tsx';
import { TimeOfDay } from '../../parts/times.tsx';
import { Section } from '../../shell/view.tsx';
import { gathered } from './gather.ts';
import { eventSentence, type Weight } from '../../words/event-sentence.ts';

const marks: Readonly<Record<Weight, Mark>> = { news: 'gone', notice: 'part', trouble: 'bad' };
const mostShown = 40;

/** The journal as it is written, newest first. */
export function Activity() {
  const events = gathered(recent.value, mostShown);
  return (
    <Section title="Activity" note="as it happens">
      {events.length === 0 ? <Empty>Nothing has happened yet.</Empty> : null}
      <ol class="activity" aria-label="Latest events, newest first">
        {events.map(({ event, machines, key }) => {
          const { text, weight } = eventSentence(event, machines);
          return (
            <li key={key} class={`event event-${weight}`}>
              <TimeOfDay at={event.at} />
              <Shape mark={marks[weight]} />
              <span class="event-text">
                <span class="event-words">{text}</span>
                {event.request_id ? <RequestLink id={event.request_id} /> : null}
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
