import { send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { BrokerList, JournalEvent, MetricsList, Provider, ProviderList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { linkTo } from '../../parts/address.ts';
import { hasControls } from '../../parts/mode.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { Section, View } from '../../shell/view.tsx';
import { figure } from '../../words/numbers.ts';
import { instanceState } from '../../words/states.ts';
import { Brokers } from './brokers.tsx';
import { Calls } from './calls.tsx';
import { Credentials } from './credentials.tsx';
import { Pauses } from './pauses.tsx';
import { Rates } from './rates.tsx';

const concerns = ({ type }: JournalEvent): boolean => type === 'request.completed' || type === 'request.failed';

/** The provider instances: whether they answer, what went wrong, how fast; and the brokers that use them. */
export function Providers() {
  // No event tells health, and the route is limited: so it is read rarely.
  const freshness = { concerns, every_s: 20, least_ms: 10_000 };
  const answer = useAnswer<ProviderList>(`${api}/providers/`, freshness);
  const metrics = useAnswer<MetricsList>(`${api}/providers/metrics`, freshness);
  const brokers = useAnswer<BrokerList>(`${api}/brokers/`, { every_s: 15 });
  return (
    <View title="Providers" note="The instances that machines come from, and the brokers that work with them.">
      <Show answer={answer.value} what="the providers">
        {({ providers }) => (
          <>
            {providers.length === 0 ? <Empty>The configuration has no provider instance.</Empty> : null}
            {providers.map((provider) => (
              <Instance
                key={provider.name}
                provider={provider}
                metrics={metrics.value.value?.providers.find((each) => each.provider_instance === provider.name)}
              />
            ))}
          </>
        )}
      </Show>
      <Show answer={brokers.value} what="the brokers">
        {({ brokers }) => <Brokers brokers={brokers} />}
      </Show>
    </View>
  );
}

interface InstanceProps {
  readonly provider: Provider;
  readonly metrics: MetricsList['providers'][number] | undefined;
}

function Instance({ provider, metrics }: InstanceProps) {
  const { name, type, status, message, answered_at, priority, weight, capabilities, statistics, limits } = provider;
  const { mark, word } = instanceState(status);
  return (
    <Section title={name} note={`${type} · ${capabilities.join(', ') || 'no API'}`}>
      <p class="because">
        <State mark={mark}>{word}</State>
        {message ? <span>{message}</span> : null}
      </p>
      {metrics ? <Pauses metrics={metrics} /> : null}
      <dl class="fact-list">
        <Fact name="Last answer">{answered_at ? <Ago at={answered_at} /> : 'none yet'}</Fact>
        <Fact name="Priority, weight">
          <span class="number">
            {priority}, {weight}
          </span>
        </Fact>
        <Fact name="Requests that ended">
          <span class="number">{figure(statistics.total_requests)}</span>
        </Fact>
        <Fact name="Without a machine from here">
          <span class="number">{figure(statistics.failed_requests)}</span>
        </Fact>
        <Fact name="Answer to a launch">
          <span class="number">
            {statistics.average_response_time_ms === 0 ? '–' : `${figure(statistics.average_response_time_ms)} ms`}
          </span>
        </Fact>
        <Fact name="At once">
          <span class="number">
            {limits.max_concurrent_requests === null ? 'no limit' : figure(limits.max_concurrent_requests)}
          </span>
        </Fact>
        {metrics?.credentials ? (
          <Fact name="Credentials">
            <Credentials credentials={metrics.credentials} />
          </Fact>
        ) : null}
      </dl>
      {metrics && metrics.calls > 0 ? <Calls metrics={metrics} /> : null}
      {metrics && metrics.rates.length > 0 ? <Rates provider_instance={name} rates={metrics.rates} /> : null}
      <div class="view-controls instance-controls">
        <a class="button" href={`${linkTo('/machines')}?provider_instance=${encodeURIComponent(name)}`}>
          Its machines
        </a>
        {hasControls && status !== 'missing' ? (
          <Action
            label="Check now"
            title={`Check ${name} now?`}
            act={() => send('POST', `${api}/providers/${encodeURIComponent(name)}/check`)}
          >
            <p>The broker asks the provider one cheap question and waits for the answer.</p>
          </Action>
        ) : null}
      </div>
    </Section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
