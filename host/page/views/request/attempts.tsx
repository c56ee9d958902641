import type { Attempt } from '../../api/shapes.ts';
import { Empty } from '../../parts/show.tsx';
import { State, type Mark } from '../../parts/state-mark.tsx';
import { TimeOfDay } from '../../parts/times.tsx';
import { Section } from '../../shell/view.tsx';
import { count } from '../../words/numbers.ts';

const states: Readonly<Record<string, readonly [Mark, string]>> = {
  open: ['moving', 'open'],
  launched: ['good', 'accepted'],
  closed: ['off', 'refused'],
  lost: ['bad', 'outcome lost'],
};

/** The orders of a request, each with its offers and what the cloud said. */
export const Attempts = ({ attempts }: { readonly attempts: readonly Attempt[] }) => (
  <Section title="Orders" note="what was asked of the cloud, and its answers">
    {attempts.length === 0 ? <Empty>No order was made yet.</Empty> : null}
    <ol class="orders">
      {attempts.map((attempt) => (
        <Order key={attempt.attempt} attempt={attempt} />
      ))}
    </ol>
  </Section>
);

function Order({ attempt }: { readonly attempt: Attempt }) {
  const {
    attempt: number,
    provider_instance,
    api,
    machine_count,
    offers,
    state,
    outcomes,
    cloud_request_ids,
    token,
  } = attempt;
  const [mark, word] = states[state] ?? (['unknown', state] as const);
  return (
    <li class="order">
      <div class="open-line">
        <strong>
          {number}. {provider_instance} <span class="quiet">{api}</span>
        </strong>
        <State mark={mark}>{word}</State>
      </div>
      <p class="order-what">
        {count(machine_count, 'machine')} at <TimeOfDay at={attempt.created_at} />
        {offers.length > 0 ? (
          <span class="offers">
            {offers.map((key) => (
              <code key={key}>{key}</code>
            ))}
          </span>
        ) : null}
      </p>
      {outcomes.length > 0 ? (
        <ul class="outcomes">
          {outcomes.map(({ at, code, message, offer, count: lost }, index) => (
            <li key={index}>
              <TimeOfDay at={at} /> <code class="code-bad">{code}</code>
              {lost !== undefined && lost > 0 ? <span class="number"> ×{lost}</span> : null}
              {offer ? <code> {offer}</code> : null}
              <span class="quiet"> {message}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <details class="order-more">
        <summary>Token and ids of the cloud</summary>
        <dl class="ids">
          <dt>Token</dt>
          <dd class="id">{token}</dd>
          <dt>Ids of the calls</dt>
          <dd class="id">{cloud_request_ids.length === 0 ? 'none' : cloud_request_ids.join(', ')}</dd>
        </dl>
      </details>
    </li>
  );
}
