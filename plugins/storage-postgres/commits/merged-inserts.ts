import type { Kind } from '../../../core/index.ts';
import type { Statement } from '../connections/statement.ts';
import type { Cells } from './change-statements.ts';
import type { Step, Work } from './work.ts';

/** The work of a group, with the inserts of each kind in one statement before all else. */
export interface Merged {
  readonly inserts: readonly Statement[];
  readonly steps: readonly Step[];
}

/** The statement that inserts many rows of a kind. */
export type InsertMany = (kind: Kind, rows: readonly Cells[]) => Statement;

/**
 * Merges the inserts of a group, where that changes nothing: no record is touched twice. Conditions are checked once,
 * at the end. A merged statement or a condition that fails does not tell whose change is refused: then the group is
 * repeated without merging.
 */
export function mergedInserts(works: readonly Work[], insertMany: InsertMany): Merged | undefined {
  const touched = new Set<string>();
  const rows = new Map<Kind, Cells[]>();
  const steps: Step[] = [];
  const conditions = new Map<string, Step>();
  let inserts = 0;
  for (const step of works.flatMap((work) => work.steps)) {
    if (step.touches !== undefined) {
      if (touched.has(step.touches)) return undefined;
      touched.add(step.touches);
    }
    if (step.condition !== undefined) {
      conditions.set(step.condition, step);
      continue;
    }
    if (!step.inserts) {
      steps.push(step);
      continue;
    }
    inserts += 1;
    const cells = (step.values ?? []) as Cells;
    const present = rows.get(step.inserts);
    if (present) present.push(cells);
    else rows.set(step.inserts, [cells]);
  }
  if (inserts === rows.size) return undefined;
  return { inserts: [...rows].map(([kind, all]) => insertMany(kind, all)), steps: [...steps, ...conditions.values()] };
}
