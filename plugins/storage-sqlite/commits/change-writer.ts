import type { SQLInputValue, StatementSync } from 'node:sqlite';
import {
  BrokerError,
  columnValues,
  insertable,
  quoted,
  refusals,
  shapes,
  type BudgetCheck,
  type Change,
  type Fence,
  type Kind,
  type MachineRecord,
  type RequestRecord,
  type Reserving,
  type Shape,
} from '../../../core/index.ts';
import { addition } from './additions.ts';
import { Bounds } from '../database/bounds.ts';
import { Budgets } from '../database/budgets.ts';
import { counterOf, type CounterName, type Counters } from '../database/counters.ts';
import { inserting, putting, replacement, replacing, same } from './change-statements.ts';
import { misuse } from '../database/failures.ts';
import type { Work } from './group-queue.ts';
import { row, type Statements } from '../queries/statements.ts';

type Step = () => void;

const none: readonly Step[] = [];

interface Writers {
  readonly insert: StatementSync;
  readonly put: StatementSync;
  readonly delete: StatementSync;
  readonly exists: StatementSync;
}

/** Converts a commit to work for the queue. It reads the values from the records before the lock is taken. */
export class ChangeWriter {
  readonly #writers: { readonly [K in Kind]: Writers };
  readonly #versioned: {
    readonly [K in 'request' | 'template']: { readonly update: StatementSync; readonly delete: StatementSync };
  };
  readonly #epoch: StatementSync;
  readonly #epochOfJob: StatementSync;
  readonly #putUnderFence: StatementSync;
  readonly #requestOfMachine: StatementSync;
  readonly #limits: Bounds;
  readonly #budgets: Budgets;
  readonly #counters: Counters;
  readonly #statements: Statements;

  constructor(statements: Statements, budgets: Budgets, counters: Counters) {
    const prepare = (sql: string) => statements.prepare(sql);
    this.#writers = Object.fromEntries(
      Object.entries(shapes).map(([kind, shape]) => [
        kind,
        {
          insert: prepare(inserting(shape)),
          put: prepare(putting(shape)),
          delete: prepare(`DELETE FROM ${quoted(kind)} WHERE ${same(shape.key)}`),
          exists: prepare(`SELECT 1 FROM ${quoted(kind)} WHERE ${same(shape.key)}`),
        },
      ]),
    ) as unknown as { readonly [K in Kind]: Writers };
    const versioned = (shape: Shape) => ({
      update: prepare(`${replacing(shape)} AND version = ?`),
      delete: prepare(`DELETE FROM ${quoted(shape.kind)} WHERE ${same(shape.key)} AND version = ?`),
    });
    this.#versioned = { request: versioned(shapes.request), template: versioned(shapes.template) };
    this.#epoch = prepare('SELECT epoch FROM request WHERE request_id = ?');
    this.#epochOfJob = prepare('SELECT epoch FROM job WHERE job = ?');
    this.#putUnderFence = prepare(`${replacing(shapes.request)} AND epoch = ?`);
    this.#requestOfMachine = prepare('SELECT request_id FROM machine WHERE provider_instance = ? AND machine_id = ?');
    this.#limits = new Bounds(statements);
    this.#budgets = budgets;
    this.#counters = counters;
    this.#statements = statements;
  }

  /** Throws INTERNAL for changes that no state of the store allows. */
  work(changes: readonly Change[]): Work<void> {
    const bounds = this.#bounds(changes);
    const sums = this.#budgets;
    const counters = this.#counters;
    const budgets: BudgetCheck[] = [];
    const came: CounterName[] = [];
    const steps: Step[] = [];
    const kinds = new Set<Kind>();
    for (const change of changes) {
      const step = this.#step(change, changes);
      if (step) steps.push(step);
      if ('kind' in change) kinds.add(change.kind);
      if (change.op === 'budget') budgets.push(change);
      if (change.op === 'insert' && change.kind === 'request') came.push(counterOf(change.record));
    }
    return {
      kinds,
      size: steps.length,
      run() {
        // Bounds count the records before the commit's own changes.
        for (const step of bounds) step();
        sums.start(budgets);
        for (const step of steps) step();
        sums.finish(budgets);
        for (const counter of came) counters.came(counter);
      },
    };
  }

  #step(change: Change, all: readonly Change[]): Step | undefined {
    const step = this.#writing(change, all);
    if (!step || !('kind' in change) || change.kind !== 'request') return step;
    const sums = this.#budgets;
    const id = change.op === 'delete' ? change.key.request_id : change.record.request_id;
    const after = change.op === 'delete' ? undefined : reservingOf(change.record);
    // A request that is inserted is not stored yet.
    const before = change.op === 'insert' ? undefined : id;
    return () => {
      sums.note(before, after);
      step();
    };
  }

  #writing(change: Change, all: readonly Change[]): Step | undefined {
    switch (change.op) {
      case 'insert':
        return this.#insert(change);
      case 'put':
        if (change.kind === 'request') return this.#putRequest(change.record, all);
        return change.kind === 'machine' ? this.#putMachine(change.record) : this.#put(change.kind, change.record);
      case 'update':
        return this.#update(change);
      case 'delete':
        return this.#delete(change);
      case 'fence':
        return this.#fence(change);
      case 'add':
        return addition(change, this.#statements);
      case 'limit':
      case 'slot':
      case 'budget':
      case 'check':
        return undefined;
    }
  }

  #bounds(changes: readonly Change[]): readonly Step[] {
    if (!changes.some(({ op }) => op === 'limit' || op === 'check' || op === 'slot')) return none;
    const limits = changes.flatMap((change): Step[] => {
      if (change.op === 'limit') return [() => this.#limits.refuseOverLimit(change)];
      return change.op === 'check' ? [this.#limits.changedFact(change)] : [];
    });
    const slots = changes
      .filter((change) => change.op === 'slot')
      .map(
        (change): Step =>
          () =>
            this.#limits.refuseWithoutSlot(change),
      );
    if (slots.length === 0) return limits;
    // A holder that lost its claim must get that refusal rather than one about slots.
    const fences = changes.filter((change) => change.op === 'fence').map((change) => this.#fence(change));
    return [...limits, ...fences, ...slots];
  }

  #insert({ kind, record }: { readonly kind: Kind; readonly record: object }): Step {
    const shape = shapes[kind];
    const { insert } = this.#writers[kind];
    const values = [...columnValues(record, insertable(shape)), JSON.stringify(record)];
    const key = columnValues(record, shape.key);
    return () => {
      if (insert.run(...values).changes === 0)
        throw new BrokerError('ALREADY_EXISTS', `The ${kind} ${named(key)} exists already.`);
    };
  }

  #put(kind: Kind, record: object): Step {
    if (kind === 'event') throw misuse('An event does not change: insert it instead of putting it.');
    const shape = shapes[kind];
    const { put } = this.#writers[kind];
    const values = [...columnValues(record, [...shape.key, ...shape.columns]), JSON.stringify(record)];
    return () => put.run(...values);
  }

  #putMachine(record: MachineRecord): Step {
    const { put } = this.#writers.machine;
    const values = [
      ...columnValues(record, [...shapes.machine.key, ...shapes.machine.columns]),
      JSON.stringify(record),
    ];
    return () => {
      if (put.run(...values).changes === 0)
        throw refusals.foreignMachine(
          record,
          String(row(this.#requestOfMachine, columnValues(record, shapes.machine.key))?.[0]),
        );
    };
  }

  #putRequest(record: { readonly request_id: string }, all: readonly Change[]): Step {
    const id = record.request_id;
    const fence = all.find((change) => change.op === 'fence' && change.request_id === id);
    if (fence?.op !== 'fence') throw misuse(`Request ${id} is put in a commit without its fence. Add a fence change.`);
    const statement = this.#putUnderFence;
    const values = [...replacement(shapes.request, record), fence.epoch];
    return () => {
      if (statement.run(...values).changes === 0) throw lostClaim(id);
    };
  }

  #update({
    kind,
    record,
    version,
  }: {
    readonly kind: 'request' | 'template';
    readonly record: object;
    readonly version: number;
  }): Step {
    const shape = shapes[kind];
    const statement = this.#versioned[kind].update;
    const values = [...replacement(shape, record), version];
    const key = columnValues(record, shape.key);
    return () => {
      if (statement.run(...values).changes === 0) throw outdated(kind, key);
    };
  }

  #delete({ kind, key, version }: { readonly kind: Kind; readonly key: object; readonly version?: number }): Step {
    const values = columnValues(key, shapes[kind].key);
    const writers = this.#writers[kind];
    if (version === undefined) return () => void writers.delete.run(...values);
    if (kind !== 'request' && kind !== 'template') throw misuse(`A ${kind} has no version: delete it without one.`);
    const statement = this.#versioned[kind].delete;
    return () => {
      if (statement.run(...values, version).changes === 0 && row(writers.exists, values)) throw outdated(kind, values);
    };
  }

  #fence({ request_id, job, epoch }: Fence): Step {
    return () => {
      if (job !== undefined) {
        if (row(this.#epochOfJob, [job])?.[0] !== epoch) throw refusals.lostJob(job);
      } else if (row(this.#epoch, [request_id])?.[0] !== epoch) throw lostClaim(request_id);
    };
  }
}

const reservingOf = ({ template_id = null, reserves }: Partial<RequestRecord>): Reserving => ({
  template_id,
  reserves,
});
const { lostClaim } = refusals;
const outdated = (kind: Kind, key: readonly SQLInputValue[]) =>
  new BrokerError('CONFLICT', `The ${kind} ${named(key)} was changed by another commit. Read it again.`);
const named = (key: readonly SQLInputValue[]) => key.map((part) => `'${part}'`).join(' / ');
