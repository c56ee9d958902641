import type { Actor, Timeline } from '../../api/shapes.ts';
import type { Answer } from '../../api/use-answer.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { TimeOfDay } from '../../parts/times.tsx';
import { Section } from '../../shell/view.tsx';
import { eventSentence } from '../../words/event-sentence.ts';

const by = ({ interface: through, name, user, address }: Actor): string => {
  const who = name ?? user;
  return [
    who ? `${who},` : '',
    through === 'broker' ? 'the broker' : `over ${through.toUpperCase()}`,
    address ? `from ${address}` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
};

/** Everything that the journal holds about the request, and who did it. */
export const Journal = ({ answer }: { readonly answer: Answer<Timeline> }) => (
  <Section title="Journal">
    <Show answer={answer} what="the journal">
      {({ events }) => (
        <>
          {events.length === 0 ? <Empty>The journal has nothing about it.</Empty> : null}
          <ol class="journal">
            {events.map((event) => (
              <li key={event.seq} class={`event event-${eventSentence(event).weight}`}>
                <TimeOfDay at={event.at} />
                <span>
                  {eventSentence(event).text}
                  {event.actor && event.actor.interface !== 'broker' ? (
                    <span class="quiet"> · {by(event.actor)}</span>
                  ) : null}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Show>
  </Section>
);
