import { api } from '../../api/place.ts';
import { recent } from '../../api/live.ts';
import type { EventList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { now } from '../../parts/clock.ts';
import { RequestLink } from '../../parts/links.tsx';
import { Empty, Show } from '../../parts/show.tsx';
import { Ago, TimeOfDay } from '../../parts/times.tsx';
import { Section, View } from '../../shell/view.tsx';
import { countdown } from '../../words/durations.ts';
import { eventSentence } from '../../words/event-sentence.ts';
import { count } from '../../words/numbers.ts';
import { interruptionTypes, isRunningOut, storiesOf, type Story } from './stories.ts';

const query = new URLSearchParams([['limit', '1000'], ...interruptionTypes.map((type) => ['type', type])]);
const mostShown = 200;

/** Machines that the cloud takes back, with the time that is left, and what became of earlier ones. */
export function Interruptions() {
  const answer = useAnswer<EventList>(`${api}/events/?${query}`);
  return (
    <View title="Interruptions" note="What the cloud takes back before anybody returned it.">
      <Show answer={answer.value} what="the interruptions">
        {({ events }) => {
          const stories = storiesOf([...events, ...recent.value]);
          const running = stories.filter((story) => isRunningOut(story, now.value));
          const others = stories.filter((story) => !running.includes(story)).slice(0, mostShown);
          return (
            <>
              <Section title="Running out" note={running.length > 0 ? count(running.length, 'machine') : null}>
                {running.length === 0 ? <Empty>The cloud has announced the end of no living machine.</Empty> : null}
                <ul class="countdowns">
                  {running.map((story) => (
                    <Countdown key={story.key} story={story} />
                  ))}
                </ul>
              </Section>
              <Section title="Earlier" note="from the journal">
                {others.length === 0 ? <Empty>No machine was interrupted.</Empty> : null}
                <ul class="open-list">
                  {others.map((story) => (
                    <li key={story.key}>
                      <div class="open-line">
                        <span class="id">{story.key}</span>
                        <Ago at={story.latest.at} />
                      </div>
                      <Course story={story} />
                    </li>
                  ))}
                </ul>
              </Section>
            </>
          );
        }}
      </Show>
    </View>
  );
}

/** The warning of Spot is two minutes; a longer one fills the ring from its beginning. */
const usual_ms = 120_000;

function Countdown({ story }: { readonly story: Story }) {
  const until = Date.parse(story.reclaim_at ?? '');
  const [first] = story.events;
  const whole = Math.max(usual_ms, until - Date.parse(first?.at ?? ''));
  const left = Math.max(0, until - now.value);
  const circle = 2 * Math.PI * 20;
  return (
    <li class="countdown">
      <svg viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
        <circle cx="24" cy="24" r="20" class="ring-whole" />
        <circle cx="24" cy="24" r="20" class="ring-left" stroke-dasharray={`${(circle * left) / whole} ${circle}`} />
      </svg>
      <div>
        <span class="figure">{left === 0 ? 'now' : countdown(left)}</span>
        <p>
          <span class="id">{story.key}</span>
        </p>
        {story.request_id ? <RequestLink id={story.request_id} /> : null}
        <Course story={story} />
      </div>
    </li>
  );
}

const Course = ({ story: { events } }: { readonly story: Story }) => (
  <ol class="course">
    {events.map((event) => (
      <li key={event.seq} class="quiet">
        <TimeOfDay at={event.at} /> {eventSentence(event).text}
      </li>
    ))}
  </ol>
);
