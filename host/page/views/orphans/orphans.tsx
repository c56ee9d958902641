import { useSignal, type Signal } from '@preact/signals';
import { send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { JournalEvent, OrphanList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { RequestLink } from '../../parts/links.tsx';
import { hasControls } from '../../parts/mode.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { State } from '../../parts/state-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { Section, View } from '../../shell/view.tsx';
import { count } from '../../words/numbers.ts';

type Orphan = OrphanList['orphans'][number];

const concerns = ({ type }: JournalEvent): boolean => type.startsWith('orphan.');
const keyOf = ({ provider_instance, kind, id }: Orphan): string => `${provider_instance} ${kind} ${id}`;
const kinds: Readonly<Record<Orphan['kind'], string>> = {
  machine: 'machine',
  container: 'fleet or group',
  launch_template: 'launch template',
};

const unsearched = (searches: OrphanList['searches']): string =>
  searches
    .filter(({ state }) => state !== 'searched')
    .map(({ provider_instance }) => provider_instance)
    .join(', ');

/** What discovery found in the cloud with the tags of this broker, and that no request knows: with its proof. */
export function Orphans() {
  const answer = useAnswer<OrphanList>(`${api}/providers/orphans`, { concerns, every_s: 60, least_ms: 5_000 });
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  return (
    <View title="Orphans" note="What carries the tags of this broker, and no request knows.">
      <Show answer={answer.value} what="the orphans">
        {({ orphans, searches }) => {
          const instances = Map.groupBy(orphans, ({ provider_instance }) => provider_instance);
          return (
            <>
              {orphans.length === 0 ? (
                <Empty>
                  {searches.every(({ state }) => state === 'searched')
                    ? 'The last search found none.'
                    : `Not searched since the brokers started: ${unsearched(searches)}.`}{' '}
                  The broker searches every ten minutes for each instance that had orders and whose sweep is not off,
                  and leaves out what is younger than ten minutes.
                </Empty>
              ) : null}
              {[...instances].map(([name, its]) => (
                <Instance key={name} name={name} orphans={its} chosen={chosen} />
              ))}
            </>
          );
        }}
      </Show>
    </View>
  );
}

interface InstanceProps {
  readonly name: string;
  readonly orphans: readonly Orphan[];
  readonly chosen: Signal<ReadonlySet<string>>;
}

function Instance({ name, orphans, chosen }: InstanceProps) {
  const some = orphans.filter((orphan) => chosen.value.has(keyOf(orphan)) && !orphan.ending);
  return (
    <Section title={name} note={count(orphans.length, 'orphan')}>
      <ul class="orphans">
        {orphans.map((orphan) => (
          <OrphanEntry key={keyOf(orphan)} orphan={orphan} chosen={chosen} />
        ))}
      </ul>
      {hasControls ? (
        <div class="instance-controls">
          <Action
            label={some.length === 0 ? 'End' : `End ${count(some.length, 'orphan')}`}
            title={`End ${count(some.length, 'orphan')} of ${name}?`}
            disabled={some.length === 0}
            grave
            act={() =>
              send('POST', `${api}/providers/orphans/end`, {
                provider_instance: name,
                ids: some.map(({ id }) => id),
              })
            }
            done={() => (chosen.value = new Set())}
          >
            <p>The broker looks again within a minute, and ends in the cloud those that still belong to no request.</p>
          </Action>
        </div>
      ) : null}
    </Section>
  );
}

function OrphanEntry({ orphan, chosen }: { readonly orphan: Orphan; readonly chosen: InstanceProps['chosen'] }) {
  const { kind, id, request_id, created_at, first_seen_at, last_seen_at, reason, ending } = orphan;
  const key = keyOf(orphan);
  function choose(selected: boolean): void {
    const next = new Set(chosen.peek());
    if (selected) next.add(key);
    else next.delete(key);
    chosen.value = next;
  }
  return (
    <li class="orphan">
      {hasControls ? (
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={chosen.value.has(key)}
          disabled={ending}
          onChange={({ currentTarget }) => choose(currentTarget.checked)}
        />
      ) : null}
      <div>
        <div class="open-line">
          <span>
            <strong class="id">{id}</strong> <span class="quiet">{kinds[kind]}</span>
          </span>
          {ending ? <State mark="leaving">ends at the next look</State> : <State mark="unknown">orphan</State>}
        </div>
        <p>{reason}</p>
        <p class="quiet">
          {created_at ? (
            <>
              Made <Ago at={created_at} />,{' '}
            </>
          ) : null}
          first found <Ago at={first_seen_at} />, last <Ago at={last_seen_at} />
          {request_id ? (
            <>
              . Its tag names <RequestLink id={request_id} />
            </>
          ) : null}
        </p>
      </div>
    </li>
  );
}
