import {
  nothingReserved,
  plus,
  reservedIn,
  type BudgetScope,
  type Reserved,
  type Reserving,
} from '../../core/index.ts';
import type { Table } from './table.ts';

/** What all requests reserve in a scope. */
export const reservedBy = (request: Table, scope: BudgetScope): Reserved =>
  request
    .all()
    .filter(({ reserves }) => reserves !== undefined)
    .map((each) => reservedIn(scope, each as unknown as Reserving))
    .reduce<Reserved>(plus, nothingReserved);
