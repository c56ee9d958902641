import type { MetricsList } from '../../api/shapes.ts';
import { Shape, type Mark } from '../../parts/state-mark.tsx';
import { duration } from '../../words/durations.ts';
import { count, figure } from '../../words/numbers.ts';

type Metrics = MetricsList['providers'][number];
type Action = Metrics['actions'][number];

const faultWords: Readonly<Record<string, string>> = {
  capacity: 'no capacity',
  quota: 'quota',
  throttled: 'throttled',
  credentials: 'credentials',
  invalid: 'invalid',
  unavailable: 'unavailable',
  'unknown-outcome': 'outcome unknown',
  gone: 'not there',
};

/** What is part of the work of a cloud is no trouble. */
const marks: Readonly<Record<string, Mark>> = { capacity: 'part', throttled: 'part', gone: 'gone' };

/** The calls to a provider since the loop of this broker began: faults by kind, and how fast each action is. */
export function Calls({ metrics: { provider_instance, calls, faults, actions } }: { readonly metrics: Metrics }) {
  const kinds = Object.entries(faults).toSorted(([, a], [, b]) => b - a);
  const slowest = Math.max(1, ...actions.map(({ p95_ms }) => p95_ms ?? 0));
  return (
    <div class="calls">
      <p class="faults">
        <span class="number">{count(calls, 'call')}</span> by this broker,{' '}
        {kinds.length === 0 ? 'none with a fault' : 'with these faults:'}
        {kinds.map(([kind, number]) => (
          <span key={kind} class="fault">
            <Shape mark={marks[kind] ?? 'bad'} />
            {faultWords[kind] ?? kind} <strong class="number">{figure(number)}</strong>
          </span>
        ))}
      </p>
      <div class="table-place" tabIndex={0} role="group" aria-label={`Calls to ${provider_instance}`}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col" class="right">
                Calls
              </th>
              <th scope="col" class="right">
                Half within
              </th>
              <th scope="col" class="right">
                95 % within
              </th>
              <th scope="col">
                <span class="hidden-text">Comparison</span>
              </th>
              <th scope="col">Faults</th>
            </tr>
          </thead>
          <tbody>
            {actions.map((action) => (
              <ActionRow key={action.action} action={action} slowest={slowest} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const time = (ms: number | null): string => (ms === null ? '–' : duration(ms));

function ActionRow({
  action: { action, calls, outcomes, p50_ms, p95_ms },
  slowest,
}: {
  readonly action: Action;
  readonly slowest: number;
}) {
  const faults = Object.entries(outcomes).filter(([outcome]) => outcome !== 'ok');
  const share = (ms: number | null): string => `${(100 * (ms ?? 0)) / slowest}%`;
  return (
    <tr>
      <th scope="row">
        <code>{action}</code>
      </th>
      <td class="right number">{figure(calls)}</td>
      <td class="right number nowrap">{time(p50_ms)}</td>
      <td class="right number nowrap">{time(p95_ms)}</td>
      <td>
        <span class="latency" aria-hidden="true">
          <span class="latency-most" style={{ width: share(p95_ms) }} />
          <span class="latency-half" style={{ width: share(p50_ms) }} />
        </span>
      </td>
      <td>
        {faults.length === 0
          ? '–'
          : faults.map(([kind, number]) => `${faultWords[kind] ?? kind} ${figure(number)}`).join(', ')}
      </td>
    </tr>
  );
}
