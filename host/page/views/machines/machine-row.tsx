import type { Signal } from '@preact/signals';
import type { Machine } from '../../api/shapes.ts';
import { linkToRequest, linkToTemplate } from '../../parts/address.ts';
import { hasControls } from '../../parts/mode.ts';
import { State } from '../../parts/state-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { priceText } from '../../words/cost.ts';
import { machineState } from '../../words/states.ts';
import { isReturnable, keyOf, setSelected } from './selection.ts';

const columns = [
  'Machine',
  'State',
  'Address',
  'Type',
  'Market',
  'Zone',
  'Price',
  'Launched',
  'Template',
  'Request',
] as const;

export const HeadRow = () => (
  <div role="row" class="row head" aria-rowindex={1}>
    <span role="columnheader" class="cell cell-select">
      <span class="hidden-text">Selected</span>
    </span>
    {columns.map((column) => (
      <span key={column} role="columnheader" class={`cell cell-${column.toLowerCase()}`}>
        {column}
      </span>
    ))}
  </div>
);

interface MachineRowProps {
  readonly index: number;
  readonly top: string;
  /** Undefined: it is being read. */
  readonly machine: Machine | undefined;
  readonly selection: Signal<ReadonlySet<string>>;
}

/** What is to say about a machine beside its fields: its message, its hold and the end of its lease. */
function wordsOf({ message, held_until, hold_reason, expires_at, gone_at }: Machine): string | undefined {
  const held = held_until === null ? [] : [`Held until ${held_until}: ${hold_reason}`];
  const lease = expires_at === null || gone_at !== null ? [] : [`Its lease ends at ${expires_at}.`];
  const words = [...(message === null ? [] : [message]), ...held, ...lease];
  return words.length === 0 ? undefined : words.join(' ');
}

/** One machine. Its place is the same before and after it was read. */
export function MachineRow({ index, top, machine, selection }: MachineRowProps) {
  if (!machine)
    return (
      <div role="row" class="row" aria-rowindex={index + 2} style={{ top }}>
        <span role="cell" class="cell quiet" aria-busy="true">
          …
        </span>
      </div>
    );
  const { machine_id, status, name, private_ip, machine_type, market, zone, template_id, request_id, cost } = machine;
  const { mark, word } = machineState(status);
  const key = keyOf(machine);
  return (
    <div role="row" class="row" aria-rowindex={index + 2} style={{ top }} title={wordsOf(machine)}>
      <span role="cell" class="cell cell-select">
        {hasControls && isReturnable(machine) ? (
          <input
            type="checkbox"
            aria-label={`Select ${machine_id}`}
            checked={selection.value.has(key)}
            onChange={({ currentTarget }) => setSelected(selection, [key], currentTarget.checked)}
          />
        ) : null}
      </span>
      <span role="cell" class="cell cell-machine id">
        {machine_id}
      </span>
      <span role="cell" class="cell cell-state">
        <State mark={mark}>{word}</State>
      </span>
      <span role="cell" class="cell cell-address number" title={name ?? undefined}>
        {private_ip ?? '–'}
      </span>
      <span role="cell" class="cell cell-type">
        {machine_type ?? '–'}
      </span>
      <span role="cell" class="cell cell-market">
        {market ?? '–'}
      </span>
      <span role="cell" class="cell cell-zone">
        {zone ?? '–'}
      </span>
      <span role="cell" class="cell cell-price number" title="US dollars an hour">
        {priceText(cost)}
      </span>
      <span role="cell" class="cell cell-launched">
        {machine.created_at ? <Ago at={machine.created_at} /> : null}
      </span>
      <span role="cell" class="cell cell-template">
        <a href={linkToTemplate(template_id)}>{template_id}</a>
      </span>
      <span role="cell" class="cell cell-request">
        <a class="id" href={linkToRequest(request_id)}>
          {request_id}
        </a>
      </span>
    </div>
  );
}
