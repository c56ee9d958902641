import {
  BrokerError,
  checkedAmounts,
  columnValues,
  insertable,
  refusals,
  scopeKey,
  shapes,
  type BudgetCheck,
  type BudgetScope,
  type Change,
  type EventRecord,
  type Fence,
  type Kind,
  type MachineRecord,
} from '../../../core/index.ts';
import { withinLimit, withinSlots, withNumbers } from '../database/bounds.ts';
import { checkLock, lockNumber } from '../database/locks.ts';
import { reservedOf, type BudgetStatements } from '../database/budgets.ts';
import type { Statement, Value } from '../connections/statement.ts';
import { misuse } from '../database/failures.ts';
import { bound } from '../queries/dialect.ts';
import { adding, changeStatements, fencing, fencingJob, type Cells } from './change-statements.ts';
import type { EventRow, Step, Work } from './work.ts';

type Put = Extract<Change, { readonly op: 'insert' | 'put' }>;

/** Converts a commit to work for the queue: statements that fail when their change is refused. */
export class ChangeWriter {
  readonly #schema: string;
  readonly #sql: { readonly [K in Kind]: ReturnType<typeof changeStatements> };
  readonly #fencing: string;
  readonly #fencingJob: string;
  readonly #adding: string;
  readonly #limit: string;
  readonly #slot: string;
  readonly #budgets: BudgetStatements;
  readonly #check: string;
  /** Requests that reserve the same have the same checks, the same objects: their step is written once. */
  readonly #budgetSteps = new WeakMap<BudgetCheck, { readonly checks: readonly BudgetCheck[]; readonly step: Step }>();

  readonly #lost: (scope: BudgetScope) => void;

  /** `lost`: called with a scope whose sums are not stored, when a commit is refused for that. */
  constructor(schema: string, budgets: BudgetStatements, lost: (scope: BudgetScope) => void) {
    this.#schema = schema;
    this.#lost = lost;
    this.#sql = Object.fromEntries(
      Object.values(shapes).map((shape) => [shape.kind, changeStatements(schema, shape)]),
    ) as { readonly [K in Kind]: ReturnType<typeof changeStatements> };
    this.#fencing = fencing(schema);
    this.#fencingJob = fencingJob(schema);
    this.#adding = adding(schema);
    this.#limit = withinLimit(schema);
    this.#slot = withinSlots(schema);
    this.#budgets = budgets;
    this.#check = withNumbers(schema);
  }

  /** The insert of many records of a kind. */
  insertMany(kind: Kind, rows: readonly Cells[]): Statement {
    return this.#sql[kind].insertMany(rows);
  }

  /** Throws INTERNAL for changes that no state of the store allows. */
  work(changes: readonly Change[]): Work {
    const before = this.#bounds(changes);
    const steps: Step[] = [...before.steps];
    const events: EventRow[] = [];
    const budgets: BudgetCheck[] = [];
    const kinds = new Set<Kind>();
    for (const change of changes) {
      if ('kind' in change) kinds.add(change.kind);
      if (change.op === 'budget') budgets.push(change);
      if (change.op === 'insert' && change.kind === 'event') {
        events.push(eventRow(change.record));
        continue;
      }
      const step = this.#step(change, changes);
      if (step) steps.push(step);
    }
    const size = steps.length - before.steps.length + events.length;
    if (budgets.length > 0) steps.push(this.#withinBudgets(budgets));
    return { kinds, size, locks: before.locks, steps, events };
  }

  /** Bounds count the records before the commit's own changes. */
  #bounds(changes: readonly Change[]): Pick<Work, 'locks' | 'steps'> {
    if (!changes.some(({ op }) => op === 'limit' || op === 'check' || op === 'slot')) return unbounded;
    const slots = changes.filter((change) => change.op === 'slot');
    const limits = changes.filter((change) => change.op === 'limit');
    const checks = changes.filter((change) => change.op === 'check');
    return {
      locks: [
        ...limits.map((change) => lockNumber(this.#schema, 'limit', change.template_id)),
        ...slots.map((change) => lockNumber(this.#schema, 'slot', change.provider_instance)),
        ...checks.map(({ fact: { topic, name, item } }) => checkLock(this.#schema, topic, name, item)),
      ],
      steps: [
        ...limits.map((change) => this.#withinLimit(change)),
        ...(checks.length > 0 ? [this.#withNumbers(checks)] : []),
        // A holder that lost its claim must get that refusal rather than one about slots.
        ...(slots.length > 0
          ? changes.filter((change) => change.op === 'fence').map((each) => this.#fence(each))
          : []),
        ...slots.map((change) => this.#withinSlots(change)),
      ],
    };
  }

  #step(change: Change, all: readonly Change[]): Step | undefined {
    switch (change.op) {
      case 'insert':
        return this.#insert(change);
      case 'put':
        if (change.kind === 'event') throw misuse('An event does not change: insert it instead of putting it.');
        if (change.kind === 'request') return this.#putRequest(change.record, all);
        return change.kind === 'machine' ? this.#putMachine(change.record) : this.#put(change);
      case 'update':
        return this.#update(change);
      case 'delete':
        return this.#delete(change);
      case 'fence':
        return this.#fence(change);
      case 'add':
        return this.#add(change);
      case 'limit':
      case 'slot':
      case 'budget':
      case 'check':
        return undefined;
    }
  }

  #insert({ kind, record }: Put): Step {
    return {
      text: this.#sql[kind].insert,
      values: [...bounds(record, insertable(shapes[kind])), JSON.stringify(record)],
      refused: () => new BrokerError('ALREADY_EXISTS', `The ${kind} ${named(kind, record)} exists already.`),
      inserts: kind,
      touches: touches(kind, record),
    };
  }

  #put({ kind, record }: Put): Step {
    return { text: this.#sql[kind].put, values: whole(kind, record), touches: touches(kind, record) };
  }

  #putMachine(record: MachineRecord): Step {
    return {
      text: this.#sql.machine.putMachine,
      values: whole('machine', record),
      touches: touches('machine', record),
      // Without a name, the machine was inserted at this moment by another commit.
      refused: (held_by) => (held_by === '' ? 'repeat' : refusals.foreignMachine(record, held_by)),
    };
  }

  #putRequest(record: { readonly request_id: string }, all: readonly Change[]): Step {
    const id = record.request_id;
    const fence = all.find((change) => change.op === 'fence' && change.request_id === id);
    if (fence?.op !== 'fence') throw misuse(`Request ${id} is put in a commit without its fence. Add a fence change.`);
    return {
      text: this.#sql.request.putUnderFence,
      values: [...replacement('request', record), fence.epoch],
      touches: touches('request', record),
      refused: () => refusals.lostClaim(id),
    };
  }

  #update({ kind, record, version }: Extract<Change, { readonly op: 'update' }>): Step {
    return {
      text: this.#sql[kind].update,
      values: [...replacement(kind, record), version],
      touches: touches(kind, record),
      refused: () => outdated(kind, record),
    };
  }

  #delete({ kind, key, version }: Extract<Change, { readonly op: 'delete' }>): Step {
    const values = bounds(key, shapes[kind].key);
    const step = { touches: touches(kind, key) };
    if (version === undefined) return { ...step, text: this.#sql[kind].delete, values };
    if (kind !== 'request' && kind !== 'template') throw misuse(`A ${kind} has no version: delete it without one.`);
    return {
      ...step,
      text: this.#sql[kind].deleteVersion,
      values: [...values, version],
      refused: () => outdated(kind, key),
    };
  }

  #fence({ request_id, job, epoch }: Fence): Step {
    if (job !== undefined)
      return { text: this.#fencingJob, values: [bound(job), epoch], refused: () => refusals.lostJob(job) };
    return { text: this.#fencing, values: [bound(request_id), epoch], refused: () => refusals.lostClaim(request_id) };
  }

  #add({ key, amounts, at }: Extract<Change, { readonly op: 'add' }>): Step {
    const all = checkedAmounts(amounts);
    const names = all.map(([name]) => name);
    const fresh = JSON.stringify({ ...key, value: Object.fromEntries(all), at });
    const sums = all.map(([, amount]) => amount);
    return {
      text: this.#adding,
      values: [...bounds(key, shapes.fact.key), fresh, names, sums, at],
    };
  }

  #withinLimit({ template_id, machine_count, max }: Extract<Change, { readonly op: 'limit' }>): Step {
    return {
      text: this.#limit,
      values: [bound(template_id), machine_count, bound(max)],
      refused: (held) => refusals.overLimit(template_id, max, Number(held), machine_count),
    };
  }

  #withinBudgets(checks: readonly BudgetCheck[]): Step {
    const [first] = checks;
    const known = first && this.#budgetSteps.get(first);
    if (known?.checks.length === checks.length && known.checks.every((check, i) => check === checks[i]))
      return known.step;
    const step = this.#newWithinBudgets(checks);
    if (first) this.#budgetSteps.set(first, { checks, step });
    return step;
  }

  #newWithinBudgets(checks: readonly BudgetCheck[]): Step {
    const statement = this.#budgets.checking(checks);
    return {
      ...statement,
      condition: [...checks.map(({ scope }) => scopeKey(scope)), ...(statement.values ?? []).slice(1)].join('\n'),
      refused: (text) => {
        const [index, ...sums] = JSON.parse(text) as readonly [number, ...(number | null)[]];
        const check = checks[index];
        if (check && sums[0] === null) this.#lost(check.scope);
        const refusal = check && sums[0] !== null ? refusals.overBudget(check, reservedOf(sums)) : undefined;
        return (
          refusal ?? new BrokerError('UNAVAILABLE', `What budget '${check?.name}' counts is not known; try again.`)
        );
      },
    };
  }

  /** All checks of a commit are one statement. */
  #withNumbers(checks: readonly Extract<Change, { readonly op: 'check' }>[]): Step {
    const all = checks.flatMap(({ fact, numbers }, index) =>
      checkedAmounts(numbers).map(([name, number]) => ({ ...fact, index, number, number_name: name })),
    );
    return {
      text: this.#check,
      values: [
        all.map(({ topic }) => topic),
        all.map(({ name }) => name),
        all.map(({ item }) => item),
        all.map(({ number_name }) => number_name),
        all.map(({ number }) => number),
        all.map(({ index }) => index),
      ],
      refused: (index) => refusals.changedFact((checks[Number(index)] ?? checks[0])?.fact ?? absentFact),
    };
  }

  #withinSlots({ provider_instance, request_id, max }: Extract<Change, { readonly op: 'slot' }>): Step {
    return {
      text: this.#slot,
      values: [bound(provider_instance), bound(request_id), bound(max)],
      refused: (open) =>
        open === '' ? refusals.lostClaim(request_id) : refusals.noSlot(provider_instance, Number(open), max),
    };
  }
}

const unbounded = { locks: [], steps: [] };
const absentFact = { topic: '', name: '', item: '' };
const touches = (kind: Kind, record: object) => JSON.stringify([kind, ...columnValues(record, shapes[kind].key)]);
const bounds = (record: object, fields: readonly string[]) => columnValues(record, fields).map(bound);
const whole = (kind: Kind, record: object): Value[] => [
  ...bounds(record, [...shapes[kind].key, ...shapes[kind].columns]),
  JSON.stringify(record),
];
const replacement = (kind: Kind, record: object): Value[] => [
  ...bounds(record, shapes[kind].columns),
  JSON.stringify(record),
  ...bounds(record, shapes[kind].key),
];
const eventRow = (record: EventRecord): EventRow => [...bounds(record, shapes.event.columns), JSON.stringify(record)];
const named = (kind: Kind, record: object) =>
  columnValues(record, shapes[kind].key)
    .map((part) => `'${part}'`)
    .join(' / ');
const outdated = (kind: Kind, record: object) =>
  new BrokerError('CONFLICT', `The ${kind} ${named(kind, record)} was changed by another commit. Read it again.`);
