import type { Signal } from '@preact/signals';
import { now } from '../../parts/clock.ts';
import { TemplateLink } from '../../parts/links.tsx';
import { Ago, Until } from '../../parts/times.tsx';
import { countdown, roughly } from '../../words/durations.ts';
import { figure } from '../../words/numbers.ts';
import { latestLack, type CapacityGrid, type Pool } from './capacity-grid.ts';

interface GridProps {
  readonly grid: CapacityGrid;
  /** The key of the pool whose details are shown. */
  readonly chosen: Signal<string | undefined>;
}

const marketWords: Readonly<Record<string, string>> = {
  ondemand: 'on demand',
  spot: 'spot',
  capacity_block: 'block',
};
const marketWord = (market: string): string => marketWords[market] ?? market;

/** The pools of one instance. A pool that lacked machines says since when, and when it is tried again. */
export function Grid({ grid: { provider_instance, zones, rows }, chosen }: GridProps) {
  const all = rows.flatMap(({ pools }) => pools);
  const shown = all.find((pool) => pool !== undefined && pool.key === chosen.value);
  return (
    <>
      <div class="table-place" tabIndex={0} role="group" aria-label={`Pools of ${provider_instance}`}>
        <table class="capacity">
          <thead>
            <tr>
              <td rowSpan={2} />
              {zones.map(({ zone, markets, short }) => (
                <th key={zone} scope="colgroup" colSpan={markets.length} class="zone">
                  {zone}
                  {short > 0 ? <span class="zone-short"> {figure(short)} short</span> : null}
                </th>
              ))}
            </tr>
            <tr>
              {zones.flatMap(({ zone, markets }) =>
                markets.map((market, index) => (
                  <th key={`${zone} ${market}`} scope="col" class={index === 0 ? 'market market-first' : 'market'}>
                    {marketWord(market)}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ machine_type, pools }) => (
              <tr key={machine_type}>
                <th scope="row">{machine_type}</th>
                {pools.map((pool, index) => (
                  <td key={index} class={isFirst(zones, index) ? 'market-first' : undefined}>
                    {pool ? <PoolTile pool={pool} chosen={chosen} /> : <span class="pool pool-none" />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div role="status" class="pool-place">
        {shown ? <PoolDetails pool={shown} /> : null}
      </div>
    </>
  );
}

/** Whether a column is the first of its zone. */
function isFirst(zones: CapacityGrid['zones'], index: number): boolean {
  let first = 0;
  for (const { markets } of zones) {
    if (index === first) return true;
    first += markets.length;
  }
  return false;
}

function PoolTile({ pool, chosen }: { readonly pool: Pool; readonly chosen: GridProps['chosen'] }) {
  const { key, machine_type, zone, market } = pool;
  const lack = latestLack(pool);
  const again = lack?.tried_again_at ? Date.parse(lack.tried_again_at) - now.value : 0;
  const since = lack?.short_since ? roughly(now.value - Date.parse(lack.short_since)) : '';
  const look = lack === undefined ? 'free' : again > 0 ? 'short' : 'due';
  return (
    <button
      type="button"
      class={`pool pool-${look}`}
      aria-pressed={chosen.value === key}
      onClick={() => (chosen.value = chosen.value === key ? undefined : key)}
    >
      <span class="hidden-text">
        {machine_type}, {zone}, {marketWord(market)}: {lack === undefined ? 'free' : 'short for '}
      </span>
      {lack === undefined ? null : (
        <>
          <span class="pool-since">{since}</span>
          <span class="hidden-text">{again > 0 ? ', tried again in ' : ', tried again when needed'}</span>
          {again > 0 ? <span class="pool-again">{countdown(again)}</span> : null}
        </>
      )}
    </button>
  );
}

function PoolDetails({ pool }: { readonly pool: Pool }) {
  const { machine_type, zone, market, offers } = pool;
  const templates = [...new Set(offers.flatMap(({ template_ids }) => template_ids))];
  return (
    <div class="pool-details">
      <h3>
        {machine_type}, {zone}, {marketWord(market)}
      </h3>
      <ul>
        {offers.map(({ provider_api, offer, state, short_since, tried_again_at, code, message }) => (
          <li key={`${provider_api} ${offer}`}>
            <strong>{provider_api}</strong> <code>{offer}</code>:{' '}
            {state === 'free' ? (
              'no lack is known'
            ) : (
              <>
                <code class="code-bad">{code}</code> {short_since ? <Ago at={short_since} /> : null}
                {tried_again_at ? (
                  <>
                    , tried again <Until at={tried_again_at} before="in " passed="when nothing else is left" />
                  </>
                ) : null}
                <br />
                <span class="quiet">{message}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      <p class="quiet">
        {templates.length === 0 ? 'No template allows it any more.' : 'Templates: '}
        {templates.map((id, index) => (
          <>
            {index > 0 ? ', ' : ''}
            <TemplateLink id={id} />
          </>
        ))}
      </p>
    </div>
  );
}
