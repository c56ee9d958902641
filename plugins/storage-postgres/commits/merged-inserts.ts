import type { Kind } from '../../../core/index.ts';
import type { Statement, Value } from '../database/connection.ts';
import type { Step, Work } from './work.ts';

/** The work of a group, with the inserts of each kind in one statement before all else. */
export interface Merged {
  readonly inserts: readonly Statement[];
  readonly steps: readonly Step[];
}

/**
 * Merges the inserts of a group, where that changes nothing: no record is touched twice. A merged statement that fails
 * does not tell whose insert is refused: then the group is repeated without merging. `sql` is the statement for many
 * rows of a kind.
 */
export function mergedInserts(works: readonly Work[], sql: (kind: Kind) => string): Merged | undefined {
  const touched = new Set<string>();
  const rows = new Map<Kind, (readonly Value[])[]>();
  const steps: Step[] = [];
  let inserts = 0;
  for (const step of works.flatMap((work) => work.steps)) {
    if (step.touches !== undefined) {
      if (touched.has(step.touches)) return undefined;
      touched.add(step.touches);
    }
    if (!step.inserts) {
      steps.push(step);
      continue;
    }
    inserts += 1;
    const present = rows.get(step.inserts);
    if (present) present.push(step.values ?? []);
    else rows.set(step.inserts, [step.values ?? []]);
  }
  if (inserts === rows.size) return undefined;
  return { inserts: [...rows].map(([kind, all]) => ({ text: sql(kind), values: columnsOf(all) })), steps };
}

/** One array for each column. */
const columnsOf = (rows: readonly (readonly Value[])[]): Value[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] as string | number | null));
