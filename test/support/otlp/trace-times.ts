import type { ReceivedSpan } from './receiver.ts';
import { traceText } from './trace-text.ts';

/** A trace as text for people: what began when, after the first span, how long it took, and how it ended. */
export function traceTimes(spans: readonly ReceivedSpan[], trace_id: string): string {
  const first = Math.min(...spans.filter((span) => span.trace_id === trace_id).map(({ start }) => start));
  const ms = (value: number) => `${Math.max(0, Math.round(value))} ms`.padStart(8);
  const lines = traceText(spans, trace_id, ({ start, end, attributes }) => {
    const about = ['template_id', 'provider_instance', 'provider_api', 'outcome'].flatMap(
      (name) => attributes[`muster.${name}`] ?? [],
    );
    return `\t${ms(start - first)}\t${ms(end - start)}\t${about.join(' ')}`;
  }).split('\n');
  const names = lines.map((line) => line.split('\t')[0]?.trimEnd() ?? '');
  const width = Math.max(...names.map(({ length }) => length));
  return lines
    .map((line, index) => {
      const [, began = '', took = '', about = ''] = line.split('\t');
      return `${names[index]?.padEnd(width)}  ${began} +${took}   ${about}`;
    })
    .join('\n');
}
