import { figure } from '../../words/numbers.ts';

interface PagerProps {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  readonly go: (offset: number) => void;
}

/** Where a list is, and the way to its other parts. Nothing while all of it is shown. */
export function Pager({ offset, size, total, go }: PagerProps) {
  if (total <= size && offset === 0) return null;
  const last = Math.min(offset + size, total);
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" class="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - size))}>
        Newer
      </button>
      <span class="number">
        {figure(Math.min(offset + 1, total))} to {figure(last)} of {figure(total)}
      </span>
      <button type="button" class="button" disabled={last >= total} onClick={() => go(offset + size)}>
        Older
      </button>
    </nav>
  );
}
