import { api } from '../../api/place.ts';
import type { AnswerOf, JournalEvent } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { linkTo } from '../../parts/address.ts';
import { RequestLink, TemplateLink } from '../../parts/links.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago, Until } from '../../parts/times.tsx';
import { Section, View } from '../../shell/view.tsx';
import { calmMessage } from '../../words/calm-message.ts';
import { dollars, unpricedText } from '../../words/cost.ts';
import { count, figure } from '../../words/numbers.ts';
import { machineState, requestState } from '../../words/states.ts';
import { Activity } from './activity.tsx';

export type Overview = AnswerOf<'get_overview'>;

const concerns = ({ type }: JournalEvent): boolean => /^(request|return|machine|attempt|template)\./.test(type);

/** What is going on: the first look of a person who runs a broker. */
export function Now() {
  const answer = useAnswer<Overview>(`${api}/brokers/overview`, { concerns, every_s: 60 });
  return (
    <View title="Now" note={answer.value.value ? <Headline overview={answer.value.value} /> : null}>
      <Show answer={answer.value} what="the state of the broker">
        {(overview) => (
          <>
            <Machines machines={overview.machines} cost={overview.cost} />
            <div class="columns">
              <div>
                <Open overview={overview} />
                <Short short={overview.short} />
                <Use overview={overview} />
              </div>
              <Activity />
            </div>
          </>
        )}
      </Show>
    </View>
  );
}

/** The state in one sentence. */
function Headline({ overview: { open_requests, open_returns, machines, short } }: { readonly overview: Overview }) {
  const under = [
    open_requests > 0 ? count(open_requests, 'request') : '',
    open_returns > 0 ? count(open_returns, 'return') : '',
  ].filter((text) => text !== '');
  const first = under.length === 0 ? 'Nothing is under way.' : `${under.join(' and ')} under way.`;
  const running = machines['running'] ?? 0;
  return (
    <>
      {first} {running === 0 ? 'No machine runs.' : `${count(running, 'machine runs', 'machines run')}.`}
      {short.length > 0 ? ` ${count(short.length, 'request')} fell short in the last 24 hours.` : ''}
    </>
  );
}

const livingStates = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] as const;

/** The living machines as one bar, each state with its number, and what all of them cost. */
function Machines({ machines, cost }: Pick<Overview, 'machines' | 'cost'>) {
  const living = livingStates.map((status) => ({ status, number: machines[status] ?? 0 }));
  const total = living.reduce((sum, { number }) => sum + number, 0);
  return (
    <section class="fleet" aria-label="Machines by status">
      <div class="fleet-bar" aria-hidden="true">
        {total === 0 ? <span class="fleet-none" /> : null}
        {living.map(({ status, number }) =>
          number === 0 ? null : (
            <span key={status} class={`fleet-part fleet-${machineState(status).mark}`} style={{ flexGrow: number }} />
          ),
        )}
      </div>
      <ul class="figures">
        {living.map(({ status, number }) =>
          number === 0 && status !== 'running' && status !== 'pending' ? null : (
            <li key={status}>
              <a href={`${linkTo('/machines')}?status=${status}`}>
                <span class="figure">{figure(number)}</span>
                <State mark={machineState(status).mark}>{machineState(status).word}</State>
              </a>
            </li>
          ),
        )}
        {total === 0 ? null : (
          <li class="figure-cost">
            <span class="figure">
              {cost.usd_per_hour === 0 && cost.unpriced_machines > 0 ? '–' : dollars(cost.usd_per_hour)}
            </span>
            <span>
              an hour
              {cost.unpriced_machines > 0 ? <span class="quiet">, {unpricedText(cost.unpriced_machines)}</span> : null}
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

function Open({ overview: { open, open_requests, open_returns } }: { readonly overview: Overview }) {
  const total = open_requests + open_returns;
  return (
    <Section title="Under way" note={total > open.length ? `the oldest ${open.length} of ${figure(total)}` : null}>
      {open.length === 0 ? <Empty>No request and no return is under way.</Empty> : null}
      <ul class="open-list">
        {open.map((request) => (
          <OpenRequest key={request.request_id} request={request} />
        ))}
      </ul>
    </Section>
  );
}

function OpenRequest({ request }: { readonly request: Overview['open'][number] }) {
  const { request_id, kind, status, template_id, provider_instance, machine_count, delivered } = request;
  const { mark, word } = requestState(status);
  const verb = kind === 'return' ? 'returned' : 'ready';
  return (
    <li class="open-request">
      <div class="open-line">
        <RequestLink id={request_id} />
        <State mark={mark}>{word}</State>
      </div>
      <div class="open-line">
        <Meter have={delivered} of={machine_count} label={`Machines ${verb}`} />
        <span class="number nowrap open-count">
          {figure(delivered)} of {figure(machine_count)} {verb}
        </span>
      </div>
      <p class="open-detail">
        {kind === 'return' ? 'Return' : <TemplateLink id={template_id} />}
        {provider_instance ? <span> at {provider_instance}</span> : null}, <Ago at={request.created_at} />
        {kind === 'provision' ? (
          <>
            , <Until at={request.deadline_at} after=" left" passed="past its deadline" />
          </>
        ) : null}
        <span class="quiet">{request.message}</span>
      </p>
    </li>
  );
}

function Short({ short }: { readonly short: Overview['short'] }) {
  if (short.length === 0) return null;
  return (
    <Section title="Fell short" note="in the last 24 hours">
      <ul class="open-list">
        {short.map(({ request_id, status, template_id, delivered, machine_count, message, completed_at }) => {
          const { mark, word } = requestState(status, delivered, machine_count);
          return (
            <li key={request_id} class="open-request">
              <div class="open-line">
                <RequestLink id={request_id} />
                <State mark={mark}>{word}</State>
              </div>
              <p class="open-detail">
                <span class="number">
                  {figure(delivered)} of {figure(machine_count)}
                </span>{' '}
                of <TemplateLink id={template_id} />
                {completed_at ? (
                  <>
                    , <Ago at={completed_at} />
                  </>
                ) : null}
                <span class="quiet">{calmMessage(message)}</span>
              </p>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Use({ overview: { templates, providers } }: { readonly overview: Overview }) {
  return (
    <Section title="Use" note="machines that live, those still to come, and the limit">
      <div class="table-place" tabIndex={0} role="group" aria-label="Use by template and instance">
        <table class="table use">
          <thead>
            <tr>
              <th scope="col">Template or instance</th>
              <th scope="col" class="right">
                Allocated
              </th>
              <th scope="col" class="right">
                Requested
              </th>
              <th scope="col" class="right">
                Limit
              </th>
              <th scope="col">
                <span class="hidden-text">Share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {templates.map(({ template_id, allocated, requested, limit }) => (
              <UseRow
                key={template_id}
                name={<TemplateLink id={template_id} />}
                {...{ allocated, requested, limit }}
              />
            ))}
          </tbody>
          <tbody>
            {providers.map(({ provider_instance, allocated, requested }) => (
              <UseRow
                key={provider_instance}
                name={
                  <>
                    <span class="quiet">all at</span> {provider_instance}
                  </>
                }
                {...{ allocated, requested, limit: null }}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

interface UseRowProps {
  readonly name: preact.ComponentChildren;
  readonly allocated: number;
  readonly requested: number;
  readonly limit: number | null;
}

const UseRow = ({ name, allocated, requested, limit }: UseRowProps) => (
  <tr>
    <th scope="row">{name}</th>
    <td class="right number">{figure(allocated)}</td>
    <td class="right number">{requested === 0 ? '–' : figure(requested)}</td>
    <td class="right number">{limit === null ? 'none' : figure(limit)}</td>
    <td class="share">
      {limit === null ? null : <Meter have={allocated} coming={requested} of={limit} label="Allocated" />}
    </td>
  </tr>
);
