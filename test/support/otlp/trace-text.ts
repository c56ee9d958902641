import type { ReceivedSpan } from './receiver.ts';

/** What is recorded at its end begins at a whole millisecond of a clock that differs from the other spans' by as much. */
const clockGrainMs = 2;

/** The spans of a trace as an indented tree: names, and the attributes that `shown` picks. */
export function traceText(
  spans: readonly ReceivedSpan[],
  trace_id: string,
  shown: (span: ReceivedSpan) => string = () => '',
): string {
  const mine = spans.filter((span) => span.trace_id === trace_id);
  const ids = new Set(mine.map(({ span_id }) => span_id));
  const lines = (parent: string, depth: number): string[] =>
    mine
      .filter(({ parent_id }) => (depth === 0 ? !ids.has(parent_id) : parent_id === parent))
      .toSorted((a, b) => (Math.abs(a.start - b.start) < clockGrainMs ? a.end - b.end : a.start - b.start))
      .flatMap((span) => [
        `${'  '.repeat(depth)}${`${span.name} ${shown(span)}`.trim()}`,
        ...lines(span.span_id, depth + 1),
      ]);
  return lines('', 0).join('\n');
}
