import type { MetricsList } from '../../api/shapes.ts';
import { Shape } from '../../parts/state-mark.tsx';
import { count, figure } from '../../words/numbers.ts';

type Rate = MetricsList['providers'][number]['rates'][number];

interface RatesProps {
  readonly provider_instance: string;
  readonly rates: readonly Rate[];
}

/** The rate limits that the broker keeps at an instance, those that were used: the slowed ones first. */
export function Rates({ provider_instance, rates }: RatesProps) {
  const slowed = rates.filter(({ share }) => share < 1).length;
  const sorted = rates.toSorted((a, b) => a.share - b.share || (a.action < b.action ? -1 : 1));
  return (
    <div class="calls">
      <p>
        <span class="number">{count(rates.length, 'rate limit')}</span> in use,{' '}
        {slowed === 0 ? 'none slowed' : `${figure(slowed)} slowed because the provider throttled`}
      </p>
      <div class="table-place" tabIndex={0} role="group" aria-label={`Rate limits at ${provider_instance}`}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col" class="right">
                Each second
              </th>
              <th scope="col" class="right">
                Free now
              </th>
              <th scope="col">Speed</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((rate) => (
              <RateRow key={`${rate.action} ${rate.counts}`} rate={rate} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const RateRow = ({ rate: { action, counts, per_second, capacity, free, share } }: { readonly rate: Rate }) => (
  <tr>
    <th scope="row">
      <code>{action}</code> {counts === 'machines' ? 'machines' : null}
    </th>
    <td class="right number">{figure(per_second)}</td>
    <td class="right number nowrap">
      {free < 0 ? `${figure(Math.ceil(-free))} wait` : `${figure(Math.floor(free))} of ${figure(capacity)}`}
    </td>
    <td>
      {share < 1 ? (
        <span class="slowed nowrap">
          <Shape mark="part" /> slowed to {figure(Math.round(share * 100))} %
        </span>
      ) : (
        'full'
      )}
    </td>
  </tr>
);
