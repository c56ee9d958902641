import type { Explanation } from '../../api/shapes.ts';
import { Shape } from '../../parts/state-mark.tsx';
import { Until } from '../../parts/times.tsx';
import { Empty } from '../../parts/show.tsx';
import { Section } from '../../shell/view.tsx';

/** Why this instance was chosen, which others stood to choose from, and what would be used next. */
export function Why({ explained: { selection, order, shortfall } }: { readonly explained: Explanation }) {
  return (
    <Section title="Why" note="the choice of an instance, and what comes next">
      {selection?.reason ? (
        <p>
          <strong>{selection.provider_instance}</strong> was chosen: {selection.reason}.
        </p>
      ) : null}
      {selection && selection.candidates.length > 0 ? (
        <ul class="candidates">
          {selection.candidates.map(({ provider_instance, eligible, reasons }) => (
            <li key={provider_instance}>
              <Shape mark={eligible ? 'good' : 'off'} />
              <span>
                <strong>{provider_instance}</strong> {eligible ? 'could serve' : 'could not serve'}
                {reasons.length > 0 ? <span class="quiet">: {reasons.join('; ')}</span> : null}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {order.length === 0 && !selection ? <Empty>Nothing was chosen yet.</Empty> : null}
      {order.length > 0 ? (
        <>
          <h3>Order of use</h3>
          <ol class="fallback">
            {order.map(({ provider_instance, api, offers }) => (
              <li key={`${provider_instance} ${api}`}>
                {provider_instance} <span class="quiet">{api}</span>
                <ul class="offer-states">
                  {offers.map(({ key, state, tried_again_at }) => (
                    <li key={key}>
                      <Shape mark={state === 'short' ? 'part' : 'good'} />
                      <code>{key}</code>
                      <span class="quiet">
                        {state}
                        {tried_again_at ? (
                          <>
                            , tried again <Until at={tried_again_at} before="in " passed="when its turn comes" />
                          </>
                        ) : null}
                      </span>
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </>
      ) : null}
      {shortfall.length > 0 ? (
        <>
          <h3>What is missing</h3>
          <ul class="outcomes">
            {shortfall.map(({ code, message, offer, count }, index) => (
              <li key={index}>
                <code class="code-bad">{code}</code>
                {count ? <span class="number"> ×{count}</span> : null}
                {offer ? <code> {offer}</code> : null}
                <span class="quiet"> {message}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Section>
  );
}
