import type { StatementSync } from 'node:sqlite';
import { nothingReserved, plus, reservedIn, type BudgetScope, type Reserved } from '../../../core/index.ts';
import type { Row, Statements } from '../queries/statements.ts';

/** The columns of the table `budget` after the key of the scope. */
export const sums = ['machines', 'vcpus', 'microusd', 'unsized', 'unpriced'] as const;

export const reservingRows = 'SELECT template_id, reserves FROM request WHERE reserves IS NOT NULL';

/** What all stored requests reserve in a scope. Reads all requests. */
export function reservedInAll(statements: Statements, scope: BudgetScope): Reserved {
  let all = nothingReserved;
  for (const reserving of reservingIn(statements.cached(reservingRows))) all = plus(all, reservedIn(scope, reserving));
  return all;
}

/** The requests that reserve something, from `reservingRows`. */
export function* reservingIn(statement: StatementSync): Iterable<{
  readonly template_id: string | null;
  readonly reserves: string | null;
}> {
  for (const [template_id, reserves] of statement.iterate() as unknown as Iterable<Row>)
    yield { template_id: template_id as string | null, reserves: reserves as string | null };
}
