import type { StatementSync } from 'node:sqlite';
import { checkedAmounts, refusals, type Change } from '../../../core/index.ts';
import { row, type Statements } from '../queries/statements.ts';

/** The number of requests with an active attempt at an instance, and whether this request is one of them. */
export const openRequests = `SELECT count(DISTINCT request_id), coalesce(max(request_id = :request_id), 0) FROM attempt
  WHERE active = 1 AND provider_instance = :provider_instance`;

/**
 * The number of requests that were accepted earlier, wait for the instance and have not ended. It counts no more than
 * the free slots, so that a long queue is not read to its end.
 */
export const olderWaiters = `SELECT count(*) FROM (
  SELECT 1 FROM request r
  WHERE waits_for = :provider_instance AND (created_at, request_id) < (:created_at, :request_id) AND status IN ('pending', 'in_progress')
    AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.active = 1 AND a.provider_instance = :provider_instance AND a.request_id = r.request_id)
  LIMIT :free)`;

/** Checks the bounds of a commit inside its transaction. */
export class Bounds {
  readonly #holds: StatementSync;
  readonly #accepted: StatementSync;
  readonly #open: StatementSync;
  readonly #older: StatementSync;
  readonly #number: StatementSync;

  constructor(statements: Statements) {
    this.#holds = statements.prepare(
      'SELECT coalesce(sum(holds), 0) FROM request WHERE template_id = ? AND holds > 0',
    );
    this.#accepted = statements.prepare('SELECT created_at FROM request WHERE request_id = ?');
    this.#open = statements.prepare(openRequests);
    this.#older = statements.prepare(olderWaiters);
    this.#number = statements.prepare(
      'SELECT coalesce(json_extract(doc, ?), 0) FROM fact WHERE topic = ? AND name = ? AND item = ?',
    );
  }

  /** Refuses with INSTANCE_LIMIT_EXCEEDED more machines of a template than it allows. */
  refuseOverLimit({ template_id, machine_count, max }: Extract<Change, { op: 'limit' }>): void {
    const held = Number(row(this.#holds, [template_id])?.[0]);
    if (held + machine_count > max) throw refusals.overLimit(template_id, max, held, machine_count);
  }

  /** Returns the step that refuses with CONFLICT a commit whose expected numbers a fact does not have. */
  changedFact({ fact, numbers }: Extract<Change, { op: 'check' }>): () => void {
    const expected = checkedAmounts(numbers).map(([name, number]) => [`$.value.${name}`, number] as const);
    const { topic, name, item } = fact;
    return () => {
      for (const [path, number] of expected)
        if (Number(row(this.#number, [path, topic, name, item])?.[0] ?? 0) !== number)
          throw refusals.changedFact(fact);
    };
  }

  /** Refuses with INSTANCE_BUSY when the instance has no slot for the request. */
  refuseWithoutSlot({ provider_instance, request_id, max }: Extract<Change, { op: 'slot' }>): void {
    const accepted = row(this.#accepted, [request_id]);
    if (!accepted) throw refusals.lostClaim(request_id);
    const [open, isOpen] = numbers(this.#open.get({ provider_instance, request_id }));
    if (isOpen) return;
    const free = max - open;
    if (free > 0) {
      const [older] = numbers(
        this.#older.get({ provider_instance, request_id, created_at: Number(accepted[0]), free }),
      );
      if (older < free) return;
    }
    throw refusals.noSlot(provider_instance, open, max);
  }
}

// The types of node:sqlite do not describe rows as arrays.
const numbers = (found: unknown) => found as readonly [number, number];
