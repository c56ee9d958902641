import { useSignal } from '@preact/signals';
import { api } from '../../api/place.ts';
import type { CapacityList, JournalEvent } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { Section, View } from '../../shell/view.tsx';
import { count, figure } from '../../words/numbers.ts';
import { capacityGrids, type CapacityGrid } from './capacity-grid.ts';
import { Grid } from './grid.tsx';
import { Legend } from './legend.tsx';

const concerns = ({ type }: JournalEvent): boolean => type.startsWith('attempt.') || type.startsWith('template.');

/** Where the cloud has machines, as far as the broker learned from its orders: machine type by zone by market. */
export function Capacity() {
  const answer = useAnswer<CapacityList>(`${api}/capacity/?limit=1000`, { concerns, every_s: 15 });
  const chosen = useSignal<string | undefined>(undefined);
  const grids = capacityGrids(answer.value.value?.offers ?? []);
  return (
    <View title="Capacity" note={answer.value.value ? <Headline grids={grids} /> : null}>
      <Show answer={answer.value} what="the capacity">
        {({ offers, total_count }) => (
          <>
            {offers.length === 0 ? (
              <Empty>No template names a machine type at an instance, so there is no pool to watch.</Empty>
            ) : (
              <Legend />
            )}
            {grids.map((grid) => (
              <Section
                key={grid.provider_instance}
                title={grid.provider_instance}
                note={`${count(grid.pools, 'pool')}, ${grid.short === 0 ? 'none short' : `${figure(grid.short)} short`}`}
              >
                <Grid grid={grid} chosen={chosen} />
              </Section>
            ))}
            {total_count > offers.length ? (
              <p class="quiet">
                These are the first {figure(offers.length)} of {figure(total_count)} offers.
              </p>
            ) : null}
          </>
        )}
      </Show>
    </View>
  );
}

function Headline({ grids }: { readonly grids: readonly CapacityGrid[] }) {
  const pools = grids.reduce((sum, grid) => sum + grid.pools, 0);
  const short = grids.reduce((sum, grid) => sum + grid.short, 0);
  if (pools === 0) return <>What the broker learned from its orders.</>;
  return short === 0 ? (
    <>No pool is known to lack machines.</>
  ) : (
    <>
      {figure(short)} of {count(pools, 'pool')} lacked machines within the last three minutes.
    </>
  );
}
