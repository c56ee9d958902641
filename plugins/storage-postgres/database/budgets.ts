import { scopeKey, type BudgetBounds, type BudgetScope, type Reserved } from '../../../core/index.ts';
import { lockNumber } from './bounds.ts';
import type { Row, Statement, Value } from './connection.ts';

const sums = ['machines', 'vcpus', 'microusd', 'unsized', 'unpriced'] as const;

/** What all requests reserve in a scope: the same conditions as those of the triggers. */
const summing = (
  schema: string,
): string => `SELECT ${sums.map((name, i) => `coalesce(sum((p.part ->> ${i + 2})::bigint), 0)::bigint AS ${name}`).join(', ')}
  FROM ${schema}.request AS r, jsonb_array_elements(r.reserves::jsonb -> 'parts') AS p(part)
  WHERE r.reserves IS NOT NULL AND ($1::text IS NULL OR r.template_id = $1)
    AND ($2::text IS NULL OR p.part ->> 0 = $2) AND ($3::text IS NULL OR p.part ->> 1 IN ($3, 'any'))
    AND ($4::text IS NULL OR coalesce(r.reserves::jsonb -> 'tags', '{}') @> $4::jsonb)`;

/** The statements about what requests reserve in the scopes of budgets. */
export class BudgetStatements {
  readonly #schema: string;
  readonly #lock: string;
  readonly #summing: string;

  constructor(schema: string) {
    this.#schema = schema;
    this.#lock = lockNumber(schema, 'budgets');
    this.#summing = summing(schema);
  }

  /**
   * Before a group that changes requests: no scope is learned meanwhile, and all sums are locked in one order, so that
   * groups cannot block each other. Two statements: the second one sees the scopes that were learned before the first.
   */
  get before(): readonly Statement[] {
    return [
      { text: 'SELECT pg_advisory_xact_lock_shared($1::bigint)', values: [this.#lock] },
      { text: `SELECT FROM ${this.#schema}.budget ORDER BY scope FOR UPDATE`, values: [] },
    ];
  }

  /**
   * Stores the sums of a scope, once; from then on the triggers keep them. It waits for the groups that change requests
   * and do not know the scope yet.
   */
  learning(scope: BudgetScope): readonly Statement[] {
    return [
      { text: 'BEGIN' },
      { text: 'SELECT pg_advisory_xact_lock($1::bigint)', values: [this.#lock] },
      {
        text: `INSERT INTO ${this.#schema}.budget SELECT $5, $1, $2, $3, $4, summed.* FROM (${this.#summing}) AS summed ON CONFLICT DO NOTHING`,
        values: [...parameters(scope), scopeKey(scope)],
      },
      { text: 'COMMIT' },
    ];
  }

  /** What is reserved in a scope. */
  reading(scope: BudgetScope): Statement {
    const names = sums.join(', ');
    return {
      text: `WITH known AS MATERIALIZED (SELECT ${names} FROM ${this.#schema}.budget WHERE scope = $5)
        SELECT * FROM known UNION ALL SELECT summed.* FROM (SELECT 1 WHERE NOT EXISTS (SELECT FROM known)) AS absent, LATERAL (${this.#summing}) AS summed`,
      values: [...parameters(scope), scopeKey(scope)],
    };
  }

  /** Fails when a bound is exceeded, with the sums as an array; with an empty text when the scope was not learned. */
  checking(scope: BudgetScope, bounds: BudgetBounds): Statement {
    const { max_machines, max_vcpus, max_microusd_per_hour, day, unknown_microusd, asked } = bounds;
    const isPriced = asked.microusd > 0 || asked.unpriced > 0;
    const maxima = [max_microusd_per_hour, day && day.max_microusd - day.ran_microusd].filter(
      (max) => max !== undefined,
    );
    const caps: Value[] = [
      asked.machines > 0 ? (max_machines ?? null) : null,
      asked.vcpus > 0 || asked.unsized > 0 ? (max_vcpus ?? null) : null,
      isPriced && maxima.length > 0 ? Math.floor(Math.min(...maxima)) : null,
      unknown_microusd ?? null,
    ];
    return {
      text: `WITH present AS MATERIALIZED (SELECT ${sums.join(', ')} FROM ${this.#schema}.budget WHERE scope = $1)
        SELECT ${this.#schema}.refuse('') WHERE NOT EXISTS (SELECT FROM present)
        UNION ALL SELECT ${this.#schema}.refuse(json_build_array(${sums.join(', ')})::text) FROM present
        WHERE machines > $2::bigint OR ($3::bigint IS NOT NULL AND (vcpus > $3 OR unsized > 0))
          OR ($4::bigint IS NOT NULL AND (microusd + unpriced * coalesce($5::bigint, 0) > $4 OR ($5 IS NULL AND unpriced > 0)))`,
      values: [scopeKey(scope), ...caps],
    };
  }
}

/** The sums in a row. */
export const reservedOf = (row: Row = []): Reserved =>
  Object.fromEntries(sums.map((name, i) => [name, Number(row[i] ?? 0)])) as unknown as Reserved;

const parameters = ({ template_id, provider_instance, market, tags }: BudgetScope): Value[] => [
  template_id ?? null,
  provider_instance ?? null,
  market ?? null,
  tags === undefined ? null : JSON.stringify(tags),
];
