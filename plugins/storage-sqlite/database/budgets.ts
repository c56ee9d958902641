import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { refusals, scopeKey, type BudgetCheck, type BudgetScope, type Reserved } from '../../../core/index.ts';
import { row, rows, type Row, type Statements } from '../queries/statements.ts';

const sums = ['machines', 'vcpus', 'microusd', 'unsized', 'unpriced'] as const;

/** What all requests reserve in a scope: the same conditions as those of the triggers. */
const summing = `SELECT ${sums.map((name, i) => `coalesce(sum(p.value ->> ${i + 2}), 0) AS ${name}`).join(', ')}
  FROM request r, json_each(r.reserves, '$.parts') p
  WHERE r.reserves IS NOT NULL AND (:template_id IS NULL OR r.template_id = :template_id)
    AND (:provider_instance IS NULL OR p.value ->> 0 = :provider_instance)
    AND (:market IS NULL OR p.value ->> 1 IN (:market, 'any'))
    AND (:tags IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (
      SELECT 1 FROM json_each(r.reserves, '$.tags') h WHERE h.key = w.key AND h.atom = w.atom)))`;

/** The sums of what requests reserve, for the scopes of budgets. */
export class Budgets {
  readonly #statements: Statements;
  readonly #known: StatementSync;
  readonly #summed: StatementSync;
  readonly #learn: StatementSync;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#known = statements.prepare(`SELECT ${sums.join(', ')} FROM budget WHERE scope = ?`);
    this.#summed = statements.prepare(summing);
    this.#learn = statements.prepare(
      `INSERT INTO budget SELECT :scope, :template_id, :provider_instance, :market, :tags, * FROM (${summing})`,
    );
  }

  /** What is reserved. Writes nothing. */
  reserved(scope: BudgetScope): Reserved {
    return reservedOf(row(this.#known, [scopeKey(scope)]) ?? this.#summed.get(parameters(scope)));
  }

  /**
   * Throws BUDGET_EXCEEDED when the commit, whose changes are written in this transaction, exceeds a bound. The sums
   * of a new scope are stored: from then on the triggers keep them.
   */
  refuseOver(checks: readonly BudgetCheck[]): void {
    const all = rows(
      this.#statements.cached(
        `SELECT ${sums.join(', ')}, scope FROM budget WHERE scope IN (${checks.map(() => '?').join(', ')})`,
      ),
      checks.map(({ scope }) => scopeKey(scope)),
    );
    for (const check of checks) {
      const key = scopeKey(check.scope);
      const known = all.find((each) => each[sums.length] === key) ?? this.#learned(check.scope);
      const refusal = refusals.overBudget(check, reservedOf(known));
      if (refusal) throw refusal;
    }
  }

  #learned(scope: BudgetScope): Row | undefined {
    const key = scopeKey(scope);
    // Another budget of the commit may have the same scope.
    const known = row(this.#known, [key]);
    if (known) return known;
    this.#learn.run({ scope: key, ...parameters(scope) });
    return row(this.#known, [key]);
  }
}

function parameters({ template_id, provider_instance, market, tags }: BudgetScope): Record<string, SQLInputValue> {
  return {
    template_id: template_id ?? null,
    provider_instance: provider_instance ?? null,
    market: market ?? null,
    tags: tags === undefined ? null : JSON.stringify(tags),
  };
}

function reservedOf(found: unknown): Reserved {
  const [machines, vcpus, microusd, unsized, unpriced] = found as readonly [number, number, number, number, number];
  return { machines, vcpus, microusd, unsized, unpriced };
}
