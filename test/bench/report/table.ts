import type { Spread } from '../measure/numbers.ts';
import type { Row } from './row.ts';

const columns = ['', 'median', 'least – most', 'bare', 'ratio', 'by CPU', 'target', ''] as const;

/** The rows as a table in text. */
export function table(rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => [cellsOf(row), ...row.notes.map((note) => [`  ${note}`])]);
  const widths = columns.map((title, index) =>
    Math.max(title.length, ...cells.filter((each) => each.length > 1).map((each) => each[index]?.length ?? 0)),
  );
  const line = (each: readonly string[]) =>
    each.length === 1
      ? (each[0] ?? '')
      : each
          .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
          .join('  ');
  return [line(columns), '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...cells.map(line)].join(
    '\n',
  );
}

function cellsOf({ title, unit, measured, baseline, ratio, targets }: Row): string[] {
  return [
    title,
    `${number(measured.median)} ${unit}`,
    range(measured),
    baseline ? number(baseline.median) : '',
    ratio ? ratio.by_rate.median.toFixed(2) : '',
    ratio?.by_cpu ? ratio.by_cpu.median.toFixed(2) : '',
    targets.map(({ text }) => text).join(', '),
    targets.length === 0 ? '' : targets.every(({ met }) => met) ? 'pass' : 'FAIL',
  ];
}

const range = ({ least, most }: Spread): string => `${number(least)} – ${number(most)}`;

function number(value: number): string {
  if (Number.isNaN(value)) return '?';
  return value >= 100 ? String(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
