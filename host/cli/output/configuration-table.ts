import { isRow, plainText, type Row } from './values.ts';
import { table, type TableOptions } from './table.ts';

/**
 * Formats a configuration with one line per value: key, value and origin. `configuration` may be a part of the whole;
 * the JSON pointers of `origins` start at the root.
 */
export function configurationTable({ configuration, origins }: Row, options: TableOptions): string {
  const leaves = leavesOf(configuration);
  const entries = Object.entries((origins ?? {}) as Readonly<Record<string, string>>);
  const [first = ''] = entries.map(([pointer]) => pointer);
  const roots = [...leaves.keys()]
    .filter((leaf) => first.endsWith(leaf))
    .map((leaf) => first.slice(0, first.length - leaf.length));
  const root =
    roots.find((each) =>
      entries.every(([pointer]) => pointer.startsWith(each) && leaves.has(pointer.slice(each.length))),
    ) ?? '';
  const rows = entries.map(([pointer, origin]) => [
    dotted(pointer),
    plainText(leaves.get(pointer.slice(root.length))),
    origin,
  ]);
  return table(['key', 'value', 'origin'], rows, options);
}

function leavesOf(value: unknown, at = ''): Map<string, unknown> {
  const inner = Array.isArray(value) ? [...value.entries()] : isRow(value) ? Object.entries(value) : [];
  if (inner.length === 0) return new Map([[at, value]]);
  return new Map(
    inner.flatMap(([step, each]) => [
      ...leavesOf(each, `${at}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ]),
  );
}

const dotted = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
