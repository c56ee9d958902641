import type { DatabaseSync } from 'node:sqlite';
import { nothingReserved, plus, reservedIn, scopeOfKey } from '../../../core/index.ts';
import { reservingIn, reservingRows, sums } from '../database/reserved-in-all.ts';

/** Pointers to the sums of budgets that differ from what the requests reserve. */
export function wrongSums(database: DatabaseSync): string[] {
  // Sums and requests of one snapshot.
  database.exec('BEGIN');
  try {
    const kept = database.prepare(`SELECT scope, ${sums.join(', ')} FROM budget`).all();
    if (kept.length === 0) return [];
    const derived = kept.map(({ scope }) => ({ scope: scopeOfKey(String(scope)), reserved: nothingReserved }));
    const statement = database.prepare(`${reservingRows} AND json_valid(reserves)`);
    statement.setReturnArrays(true);
    for (const reserving of reservingIn(statement))
      for (const each of derived) each.reserved = plus(each.reserved, reservedIn(each.scope, reserving));
    return kept.flatMap((sum, i) =>
      sums.some((name) => sum[name] !== derived[i]?.reserved[name]) ? `/budget/${sum['scope']}` : [],
    );
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}
