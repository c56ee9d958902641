import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface VirtualRowsProps {
  readonly count: number;
  readonly label: string;
  readonly head: ComponentChildren;
  /** A row of a table, placed by the style that it is given. */
  readonly row: (index: number, top: string) => ComponentChildren;
  /** Called with the rows that are shown, so that they are read. */
  readonly shown: (first: number, last: number) => void;
}

/** Rows beyond the edges, so that a fast scroll seldom sees an empty place. */
const beyond = 8;

/** A table of any length, of which the rows in sight exist. Its rows have the height `--row` of the style sheet. */
export function VirtualRows({ count, label, head, row, shown }: VirtualRowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const range = useSignal<readonly [number, number]>([0, 40]);
  const height = useSignal(36);

  function look(): void {
    const element = place.current;
    if (!element) return;
    height.value = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 36;
    const first = Math.max(0, Math.floor(element.scrollTop / height.value) - beyond);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / height.value) + beyond;
    const [before, after] = range.peek();
    if (first !== before || last !== after) range.value = [first, last];
  }

  useLayoutEffect(look);
  useEffect(() => {
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  const [first, wanted] = range.value;
  const last = Math.min(count - 1, wanted);
  useEffect(() => shown(first, Math.max(first, wanted)), [first, wanted, shown]);

  const rows: ComponentChildren[] = [];
  for (let index = first; index <= last; index += 1) rows.push(row(index, `${index * height.value}px`));
  return (
    <div
      ref={place}
      class="rows"
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      onScroll={look}
    >
      <div role="rowgroup" class="rows-head">
        {head}
      </div>
      <div role="rowgroup" class="rows-body" style={{ height: `${count * height.value}px` }}>
        {rows}
      </div>
    </div>
  );
}
