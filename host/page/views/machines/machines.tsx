import { useSignal, type Signal } from '@preact/signals';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { send } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import { onEvents } from '../../api/live.ts';
import { MachinePages } from '../../api/machine-pages.ts';
import { Action } from '../../parts/action.tsx';
import { address, goTo, linkToRequest } from '../../parts/address.ts';
import { hasControls } from '../../parts/mode.ts';
import { Empty, Failure, Loading } from '../../parts/show.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { View } from '../../shell/view.tsx';
import { count, figure } from '../../words/numbers.ts';
import { listQuery, MachineFilters } from './machine-filters.tsx';
import { HeadRow, MachineRow } from './machine-row.tsx';
import { allKeys, mostReturned } from './selection.ts';

/** All machines: any number of them, filtered, and returned several at once. */
export function Machines() {
  const filter = listQuery(address.value.query);
  const pages = useMemo(() => new MachinePages(filter), [filter]);
  const selection = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    pages.show(0, 40);
    const unlisten = onEvents((events) => pages.heard(events));
    const seen = (): void => pages.seen();
    document.addEventListener('visibilitychange', seen);
    return () => {
      pages.close();
      unlisten();
      document.removeEventListener('visibilitychange', seen);
      selection.value = new Set();
    };
  }, [pages]);
  const shown = useCallback((first: number, last: number) => pages.show(first, last), [pages]);
  const { total, failure, at } = pages.listed.value;
  return (
    <View
      title="Machines"
      note={total === undefined ? null : `${count(total, 'machine')} in this list.`}
      controls={hasControls ? <Controls selection={selection} filter={filter} total={total ?? 0} /> : null}
    >
      <MachineFilters />
      {failure ? <Failure failure={failure} what="the machines" /> : null}
      {total === undefined && !failure ? <Loading what="the machines" /> : null}
      {total === 0 ? <Empty>No machine matches. Those that are gone are shown on demand.</Empty> : null}
      {total ? (
        <VirtualRows
          count={total}
          label="Machines"
          shown={shown}
          head={<HeadRow />}
          row={(index, top) => (
            <MachineRow key={index} index={index} top={top} machine={at(index)} selection={selection} />
          )}
        />
      ) : null}
    </View>
  );
}

interface ControlsProps {
  readonly selection: Signal<ReadonlySet<string>>;
  readonly filter: string;
  readonly total: number;
}

function Controls({ selection, filter, total }: ControlsProps) {
  const busy = useSignal(false);
  const chosen = [...selection.value];
  async function selectAll(): Promise<void> {
    busy.value = true;
    try {
      selection.value = new Set(await allKeys(filter));
    } finally {
      busy.value = false;
    }
  }
  return (
    <>
      {chosen.length > 0 ? (
        <button type="button" class="button" onClick={() => (selection.value = new Set())}>
          Select none
        </button>
      ) : null}
      <button type="button" class="button" disabled={busy.value || total === 0} onClick={selectAll}>
        {busy.value
          ? 'Reading…'
          : total > mostReturned
            ? `Select the first ${figure(mostReturned)}`
            : 'Select all in this list'}
      </button>
      <Action
        label={chosen.length === 0 ? 'Return' : `Return ${count(chosen.length, 'machine')}`}
        title={`Return ${count(chosen.length, 'machine')}?`}
        disabled={chosen.length === 0 || chosen.length > mostReturned}
        grave
        act={() => send<{ readonly request_id: string }>('POST', `${api}/machines/return`, { machine_ids: chosen })}
        done={({ request_id }) => {
          selection.value = new Set();
          goTo(linkToRequest(request_id));
        }}
      >
        <p>They end in the cloud and are not replaced.</p>
        <ul class="chosen">
          {chosen.slice(0, 12).map((key) => (
            <li key={key} class="id">
              {key}
            </li>
          ))}
          {chosen.length > 12 ? <li class="quiet">and {figure(chosen.length - 12)} more</li> : null}
        </ul>
      </Action>
    </>
  );
}
