import type { ComponentChildren } from 'preact';
import type { Explanation, Machine, RequestStatus, Timeline } from '../../api/shapes.ts';
import { TemplateLink } from '../../parts/links.tsx';
import { Meter } from '../../parts/meter.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago, Between, Moment, Until } from '../../parts/times.tsx';
import { duration } from '../../words/durations.ts';
import { costOfAll, costText } from '../../words/cost.ts';
import { figure } from '../../words/numbers.ts';
import { requestState } from '../../words/states.ts';

interface FactsProps {
  readonly request: RequestStatus;
  readonly explained: Explanation | undefined;
  readonly timeline: Timeline | undefined;
  /** All machines of the request, once they were read. */
  readonly machines: readonly Machine[] | undefined;
}

/** How the request stands, in a sentence and in figures. */
export function Facts({ request, explained, timeline, machines }: FactsProps) {
  const { status, fulfilment, requested_count, request_id, completed_at, created_at } = request;
  const isReturn = request_id.startsWith('ret-');
  const { mark, word } = requestState(status, isReturn ? undefined : fulfilment?.delivered, requested_count);
  const waiting = explained?.waiting_for;
  return (
    <section class="facts" aria-label="How it stands">
      <p class="because">
        <State mark={mark}>{word}</State> <span>{explained?.because ?? request.message}</span>
      </p>
      {waiting ? (
        <p class="waiting">
          Waiting for {waiting.what}
          {waiting.until ? (
            <>
              , <Until at={waiting.until} before="for at most " passed="which may come at any moment" />
            </>
          ) : null}
          .
        </p>
      ) : null}
      <dl class="fact-list">
        <Fact name={isReturn ? 'Return of' : 'Template'}>
          {isReturn ? `${figure(requested_count)} machines` : <TemplateLink id={request.template_id} />}
        </Fact>
        <Fact name="Instance">{request.provider_instance ?? 'none yet'}</Fact>
        {isReturn ? null : (
          <Fact name="Delivered">
            {fulfilment ? (
              <>
                <span class="number">
                  {figure(fulfilment.delivered)} of {figure(requested_count)}
                </span>{' '}
                <Meter have={fulfilment.delivered} of={requested_count} label="Delivered" />
              </>
            ) : (
              <span class="number">asked for {figure(requested_count)}</span>
            )}
          </Fact>
        )}
        {machines && machines.length > 0 ? (
          <Fact name="Cost">
            <span class="number">{costText(costOfAll(machines))}</span>
          </Fact>
        ) : null}
        <Fact name="Accepted">
          <Moment at={created_at} />
        </Fact>
        <Fact name={completed_at ? 'Took' : 'Under way for'}>
          <Between from={created_at} to={completed_at} />
        </Fact>
        {!completed_at && request.deadline_at ? (
          <Fact name="Deadline">
            <Until at={request.deadline_at} before="in " passed="passed" />
          </Fact>
        ) : null}
        {!completed_at && request.next_at ? (
          <Fact name="Next try">
            <Until at={request.next_at} before="in " />
          </Fact>
        ) : null}
        {request.observed_at ? (
          <Fact name="Last look">
            <Ago at={request.observed_at} />
          </Fact>
        ) : null}
        {Object.entries(timeline?.durations_ms ?? {}).map(([name, ms]) =>
          ms === null ? null : (
            <Fact key={name} name={`${sentenceCase(name)} after`}>
              <span class="number">{duration(ms)}</span>
            </Fact>
          ),
        )}
      </dl>
    </section>
  );
}

const sentenceCase = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
