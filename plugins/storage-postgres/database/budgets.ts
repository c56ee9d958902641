import {
  asksForDollars,
  scopeKey,
  type BudgetBounds,
  type BudgetCheck,
  type BudgetScope,
  type Reserved,
} from '../../../core/index.ts';
import { sums } from '../migrations/0003-budgets.ts';
import { numberArray, textArray } from './array-value.ts';
import { beginning } from './beginning.ts';
import { lockNumber } from './locks.ts';
import type { Row, Statement, Value } from '../connections/statement.ts';

/** What all requests reserve in a scope: the same conditions as those of the triggers. */
const summing = (
  schema: string,
): string => `SELECT ${sums.map((name, i) => `coalesce(sum((p.part ->> ${i + 2})::bigint), 0)::bigint AS ${name}`).join(', ')}
  FROM ${schema}.request AS r, jsonb_array_elements(r.reserves::jsonb -> 'parts') AS p(part)
  WHERE r.reserves IS NOT NULL AND ($1::text IS NULL OR r.template_id = $1)
    AND ($2::text IS NULL OR p.part ->> 0 = $2) AND ($3::text IS NULL OR p.part ->> 1 IN ($3, 'any'))
    AND ($4::text IS NULL OR coalesce(p.part -> 7, r.reserves::jsonb -> 'tags', '{}') @> $4::jsonb)`;

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
   * groups cannot block each other.
   */
  get before(): Statement {
    return { text: `SELECT ${this.#schema}.lock_budgets($1::bigint)`, values: [this.#lock] };
  }

  /**
   * Stores a scope, once. A trigger adds its sums, and from then on triggers keep them. It waits for the groups that
   * change requests and do not know the scope yet.
   */
  learning(scope: BudgetScope): readonly Statement[] {
    return [
      { text: beginning },
      { text: 'SELECT pg_advisory_xact_lock($1::bigint)', values: [this.#lock] },
      {
        text: `INSERT INTO ${this.#schema}.budget VALUES ($5, $1, $2, $3, $4, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
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

  /**
   * Fails when a bound is exceeded, with the number of the check and the sums as an array; with the number alone when
   * its scope was not learned. What no bound limits is NULL.
   */
  checking(checks: readonly BudgetCheck[]): Statement {
    const caps = checks.map(({ bounds }) => capsOf(bounds));
    const column = (name: keyof Caps) => numberArray(caps.map((each) => each[name]));
    return {
      text: `SELECT ${this.#schema}.refuse(json_build_array(${['c.n - 1', ...sums.map((name) => `b.${name}`)].join(', ')})::text)
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) WITH ORDINALITY AS c(scope, machines, vcpus, microusd, unknown, n)
        LEFT JOIN ${this.#schema}.budget AS b USING (scope)
        WHERE b.machines IS NULL OR b.machines > c.machines OR (c.vcpus IS NOT NULL AND (b.vcpus > c.vcpus OR b.unsized > 0))
          OR (c.microusd IS NOT NULL AND (b.microusd + b.unpriced * coalesce(c.unknown, 0) > c.microusd OR (c.unknown IS NULL AND b.unpriced > 0)))
        ORDER BY c.n LIMIT 1`,
      values: [
        textArray(checks.map(({ scope }) => scopeKey(scope))),
        column('machines'),
        column('vcpus'),
        column('microusd'),
        column('unknown'),
      ],
    };
  }
}

interface Caps {
  readonly machines: number | null;
  readonly vcpus: number | null;
  readonly microusd: number | null;
  readonly unknown: number | null;
}

/** What `exceeded` allows, where the commit asks for something. */
function capsOf(bounds: BudgetBounds): Caps {
  const { max_machines, max_vcpus, max_microusd_per_hour, day, unknown_microusd, asked } = bounds;
  const isPriced = asksForDollars(bounds);
  const maxima = [max_microusd_per_hour, day && day.max_microusd - day.ran_microusd].filter(
    (max) => max !== undefined,
  );
  return {
    machines: asked.machines > 0 ? (max_machines ?? null) : null,
    vcpus: asked.vcpus > 0 || asked.unsized > 0 ? (max_vcpus ?? null) : null,
    // What ran may have cost any amount; below 0 all caps are the same.
    microusd: isPriced && maxima.length > 0 ? Math.max(-1, Math.floor(Math.min(...maxima))) : null,
    unknown: unknown_microusd ?? null,
  };
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
