import type { Cell } from './cells.ts';
import type { Verdict } from './run-scenario.ts';

/** Cells × scenarios: `.` passed, `X` failed. */
export function tableOf(cells: readonly Cell[], verdicts: ReadonlyMap<string, Verdict>): string {
  const names = [...verdicts.keys()];
  const width = Math.max(...cells.map(({ id }) => id.length), 1);
  const head = names.map((name, index) => `${' '.repeat(width)} ${'| '.repeat(index)}${name}\n`).join('');
  const row = (id: string) =>
    `${id.padEnd(width)} ${names.map((name) => (verdicts.get(name)?.has(id) ? 'X' : '.')).join(' ')}\n`;
  const passed = cells.length * names.length - names.reduce((sum, name) => sum + (verdicts.get(name)?.size ?? 0), 0);
  return `${head}${cells.map(({ id }) => row(id)).join('')}${row('*')}${passed} of ${cells.length * names.length} passed\n`;
}
