import type { StatementSync } from 'node:sqlite';
import {
  nothingReserved,
  partsIn,
  refusals,
  reservationOf,
  scopeKey,
  scopeOfKey,
  type BudgetCheck,
  type BudgetScope,
  type Reserved,
  type Reserving,
} from '../../../core/index.ts';
import { row, rows, type Row, type Statements } from '../queries/statements.ts';
import { reservedInAll, sums } from './reserved-in-all.ts';

/** What a commit changes of the reservation of one request. Absent: there is no such request. */
interface ReservingChange {
  readonly before: Reserving | undefined;
  readonly after: Reserving | undefined;
}

interface Sum {
  readonly scope: BudgetScope;
  readonly reserved: { -readonly [K in keyof Reserved]: Reserved[K] };
  isChanged: boolean;
}

/**
 * The sums of what requests reserve, for the scopes of budgets. They are written in the transaction that changes the
 * requests, once for all work of its group: `begin`, then for each work `start`, `note` and `finish`, then `store`.
 */
export class Budgets {
  readonly #statements: Statements;
  readonly #known: StatementSync;
  readonly #all: StatementSync;
  readonly #stored: StatementSync;
  readonly #put: StatementSync;
  /** The sums in the present group. Undefined: not read yet. */
  #sums: Map<string, Sum> | undefined;
  /** What the present work changes. */
  #noted: ReservingChange[] = [];

  constructor(statements: Statements) {
    const names = sums.join(', ');
    this.#statements = statements;
    this.#known = statements.prepare(`SELECT ${names} FROM budget WHERE scope = ?`);
    this.#all = statements.prepare(`SELECT ${names}, scope FROM budget`);
    this.#stored = statements.prepare('SELECT template_id, reserves FROM request WHERE request_id = ?');
    this.#put = statements.prepare('INSERT OR REPLACE INTO budget VALUES (?, ?, ?, ?, ?, ?)');
  }

  /** What is reserved. Writes nothing; not to be called within a group. */
  reserved(scope: BudgetScope): Reserved {
    const known = row(this.#known, [scopeKey(scope)]);
    return known ? reservedOf(known) : reservedInAll(this.#statements, scope);
  }

  /** A group begins: another process may have changed the sums since the last one. */
  begin(): void {
    this.#sums = undefined;
  }

  /** Work begins. A scope that is new is summed up before the work changes requests; from then on its sum is kept. */
  start(checks: readonly BudgetCheck[]): void {
    this.#noted = [];
    for (const { scope } of checks) {
      const known = this.#read();
      if (!known.has(scopeKey(scope)))
        known.set(scopeKey(scope), {
          scope,
          reserved: { ...reservedInAll(this.#statements, scope) },
          isChanged: true,
        });
    }
  }

  /** Called before a request is written. `id`: of the request that is stored; `after`: what is about to be stored. */
  note(id: string | undefined, after: Reserving | undefined): void {
    if (this.#read().size === 0) return;
    const stored = id === undefined ? undefined : row(this.#stored, [id]);
    const before = stored && { template_id: stored[0] as string | null, reserves: stored[1] as string | null };
    this.#noted.push({ before, after });
  }

  /** Adds what the work changed. Throws BUDGET_EXCEEDED when it exceeds a bound, and takes it back. */
  finish(checks: readonly BudgetCheck[]): void {
    this.#add(this.#noted);
    for (const check of checks) {
      const refusal = refusals.overBudget(check, this.#read().get(scopeKey(check.scope))?.reserved ?? nothingReserved);
      if (!refusal) continue;
      this.#add(this.#noted.map(({ before, after }) => ({ before: after, after: before })));
      throw refusal;
    }
  }

  /** Writes the sums that the work of the group changed. */
  store(): void {
    for (const [key, sum] of this.#sums ?? []) {
      if (!sum.isChanged) continue;
      const { reserved } = sum;
      this.#put.run(key, ...sums.map((name) => reserved[name]));
      sum.isChanged = false;
    }
  }

  #add(changes: readonly ReservingChange[]): void {
    for (const { before, after } of changes) {
      if (before?.reserves === after?.reserves && before?.template_id === after?.template_id) continue;
      for (const sum of this.#read().values()) {
        if (before?.reserves) addTo(sum, before, -1);
        if (after?.reserves) addTo(sum, after, 1);
      }
    }
  }

  #read(): Map<string, Sum> {
    this.#sums ??= new Map(
      rows(this.#all, []).map((found) => {
        const key = found[sums.length] as string;
        return [key, { scope: scopeOfKey(key), reserved: reservedOf(found), isChanged: false }];
      }),
    );
    return this.#sums;
  }
}

/** Adds to a sum in place: each request of a group changes each sum. */
function addTo(sum: Sum, { template_id, reserves }: Reserving, sign: 1 | -1): void {
  for (const part of partsIn(sum.scope, template_id, reservationOf(reserves))) {
    for (const name of sums) sum.reserved[name] += sign * part[name];
    sum.isChanged = true;
  }
}

function reservedOf(found: Row): Reserved {
  const [machines, vcpus, microusd, unsized, unpriced] = found as readonly [number, number, number, number, number];
  return { machines, vcpus, microusd, unsized, unpriced };
}
