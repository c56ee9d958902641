import { api } from '../../api/place.ts';
import type { BudgetList, JournalEvent } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { View } from '../../shell/view.tsx';
import { dollars, unpricedText } from '../../words/cost.ts';
import { count } from '../../words/numbers.ts';
import { limitState, limitWords, matchText, type Budget, type Limit } from './limit-state.ts';

const concerns = ({ type }: JournalEvent): boolean => /^(request|return|machine|budget)\./.test(type);

/** The budgets with what is used of each limit. Prices change without an event. */
export function Budgets() {
  const answer = useAnswer<BudgetList>(`${api}/budgets/`, { concerns, every_s: 30, least_ms: 2_000 });
  return (
    <View title="Budgets" note="What machines may use together, and what requests have reserved of it.">
      <Show answer={answer.value} what="the budgets">
        {({ budgets }) =>
          budgets.length === 0 ? (
            <Empty>
              No budget is configured. Each one in `budgets` of the configuration stands here with its use.
            </Empty>
          ) : (
            <div class="table-place" tabIndex={0} role="group" aria-label="Budgets">
              <table class="table use">
                <thead>
                  <tr>
                    <th scope="col">Budget</th>
                    <th scope="col">Limit</th>
                    <th scope="col" class="right">
                      Used
                    </th>
                    <th scope="col">State</th>
                  </tr>
                </thead>
                {budgets.map((budget) => (
                  <BudgetRows key={budget.name} budget={budget} />
                ))}
              </table>
            </div>
          )
        }
      </Show>
    </View>
  );
}

const BudgetRows = ({ budget }: { readonly budget: Budget }) => (
  <tbody>
    {budget.limits.map((limit, index) => (
      <tr key={limit.limit}>
        {index === 0 ? (
          <th scope="rowgroup" rowSpan={budget.limits.length}>
            <strong>{budget.name}</strong>
            <span class="row-note">{matchText(budget.match)}</span>
            <span class="row-note">{unknownText(budget)}</span>
          </th>
        ) : null}
        <LimitCells budget={budget} limit={limit} />
      </tr>
    ))}
  </tbody>
);

interface LimitProps {
  readonly budget: Budget;
  readonly limit: Limit;
}

function LimitCells({ budget, limit }: LimitProps) {
  const { name, amount } = limitWords[limit.limit];
  const { mark, word, share } = limitState(limit);
  return (
    <>
      <td>
        {name}
        {limit.limit === 'max_usd_per_day' ? (
          <span class="row-note">{dollars(budget.usd_last_24h)} in the last 24 hours, and one more hour of all</span>
        ) : null}
      </td>
      <td class="right number nowrap">
        {amount(limit.used)} of {amount(limit.max)}
      </td>
      <td>
        <span class="nowrap">
          <span class="meter" aria-hidden="true">
            <span class={`meter-have meter-${mark}`} style={{ width: `${100 * share}%` }} />
          </span>{' '}
          <State mark={mark}>{word}</State>
        </span>
      </td>
    </>
  );
}

/** What the sums leave out. */
const unknownText = ({ reserved }: Budget): string =>
  [
    unpricedText(reserved.machines_of_unknown_price ?? 0),
    reserved.machines_of_unknown_size ? `${count(reserved.machines_of_unknown_size, 'machine')} of unknown size` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
