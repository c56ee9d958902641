import {
  BrokerError,
  type BudgetCheck,
  type Change,
  checkedAmounts,
  type Fence,
  type Kind,
  type MachineRecord,
  refusals,
} from '../../core/index.ts';
import { refuseWithoutSlot } from './slots.ts';
import { reservedBy } from './reserved-by.ts';
import type { Kept } from './kept.ts';
import type { Table } from './table.ts';

/**
 * Applies the changes of a commit in their order. When one is refused, those before it are undone. Returns the
 * function that undoes all.
 */
export function apply(
  changes: readonly Change[],
  tables: { readonly [K in Kind]: Table },
  nextSeq: () => number,
  epochOfJob: (job: string) => number | undefined,
): () => void {
  const undo: (() => void)[] = [];
  try {
    for (const change of changes) {
      if (change.op === 'limit') refuseOverLimit(change, tables);
      if (change.op === 'check') refuseChanged(change, tables.fact);
    }
    const slots = changes.filter((change) => change.op === 'slot');
    // A holder that lost its claim must get that refusal rather than one about slots.
    if (slots.length > 0)
      for (const change of changes) if (change.op === 'fence') refuseStale(change, tables, epochOfJob);
    for (const slot of slots) refuseWithoutSlot(slot, tables);
    for (const change of changes) {
      const step = applyOne(change, changes, tables, nextSeq, epochOfJob);
      if (step) undo.push(step);
    }
    for (const change of changes) if (change.op === 'budget') refuseOverBudget(change, tables.request);
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  }
  return () => {
    for (const step of undo.toReversed()) step();
  };
}

function applyOne(
  change: Change,
  all: readonly Change[],
  tables: { readonly [K in Kind]: Table },
  nextSeq: () => number,
  epochOfJob: (job: string) => number | undefined,
) {
  if (change.op === 'limit' || change.op === 'slot' || change.op === 'check' || change.op === 'budget')
    return undefined;
  if (change.op === 'add') return tables.fact.set(added(change, tables.fact.get(change.key)));
  if (change.op === 'fence') return refuseStale(change, tables, epochOfJob);
  const table = tables[change.kind];
  const present = table.get(change.op === 'delete' ? change.key : change.record);
  switch (change.op) {
    case 'insert':
      if (change.kind === 'event') return table.set({ ...copy(change.record), seq: nextSeq() });
      if (present) throw new BrokerError('ALREADY_EXISTS', `The ${change.kind} exists already.`);
      return table.set(kept(change.kind, change.record, present));
    case 'put':
      if (change.kind === 'event')
        throw new BrokerError('INTERNAL', 'An event does not change: insert it instead of putting it.');
      if (change.kind === 'request') refuseUnfenced(change.record.request_id, all, present);
      if (change.kind === 'machine') refuseForeign(change.record, present);
      return table.set(kept(change.kind, change.record, present));
    case 'update':
      if (present?.['version'] !== change.version) throw outdated(change.kind);
      return table.set(kept(change.kind, change.record, present));
    case 'delete':
      if (change.version !== undefined && present && present['version'] !== change.version)
        throw outdated(change.kind);
      return table.delete(change.key);
  }
}

/** The stored form of a record: its JSON, with the fields that the store maintains. */
function kept(kind: Kind, record: object, present: Kept | undefined): Kept {
  const version = ((present?.['version'] as number | undefined) ?? 0) + 1;
  if (kind === 'template') return { ...copy(record), version };
  if (kind === 'request') return { ...copy(record), version, epoch: present?.['epoch'] ?? 0 };
  return copy(record);
}

const copy = (record: object): Kept => JSON.parse(JSON.stringify(record));

function refuseOverLimit(
  { template_id, machine_count, max }: Extract<Change, { op: 'limit' }>,
  { request }: { readonly request: Table },
): void {
  const held = request
    .all()
    .filter((each) => each['template_id'] === template_id)
    .reduce((sum, { holds }) => sum + Number(holds), 0);
  if (held + machine_count <= max) return;
  throw refusals.overLimit(template_id, max, held, machine_count);
}

function refuseOverBudget(check: BudgetCheck, request: Table): void {
  const refusal = refusals.overBudget(check, reservedBy(request, check.scope));
  if (refusal) throw refusal;
}

function refuseChanged({ fact, numbers }: Extract<Change, { op: 'check' }>, facts: Table): void {
  const value = facts.get(fact)?.['value'] as Readonly<Record<string, unknown>> | undefined;
  for (const [name, expected] of checkedAmounts(numbers))
    if (Number(value?.[name] ?? 0) !== expected) throw refusals.changedFact(fact);
}

/** The fact with the added amounts. */
function added({ key, amounts, at }: Extract<Change, { op: 'add' }>, present: Kept = { ...key, value: {}, at }): Kept {
  const value = { ...(present['value'] as Readonly<Record<string, unknown>>) };
  for (const [name, amount] of checkedAmounts(amounts)) value[name] = Number(value[name] ?? 0) + amount;
  return { ...present, value, at: Math.max(at, Number(present['at'])) };
}

function refuseForeign(machine: MachineRecord, present: Kept | undefined): void {
  if (!present || present['request_id'] === machine.request_id || typeof present['gone_at'] === 'number') return;
  throw refusals.foreignMachine(machine, String(present['request_id']));
}

function refuseStale(
  { request_id, job, epoch }: Fence,
  { request }: { readonly request: Table },
  epochOfJob: (job: string) => number | undefined,
): undefined {
  if (job !== undefined) {
    if (epochOfJob(job) !== epoch) throw refusals.lostJob(job);
    return;
  }
  if (request.get({ request_id })?.['epoch'] !== epoch) throw refusals.lostClaim(request_id);
}

function refuseUnfenced(request_id: string, all: readonly Change[], present: Kept | undefined): void {
  const fence = all.find((change) => change.op === 'fence' && change.request_id === request_id);
  if (fence?.op !== 'fence')
    throw new BrokerError(
      'INTERNAL',
      `Request ${request_id} is put in a commit without its fence. Add a fence change.`,
    );
  if (present?.['epoch'] !== fence.epoch) throw refusals.lostClaim(request_id);
}

const outdated = (kind: Kind) =>
  new BrokerError('CONFLICT', `The ${kind} was changed by another commit. Read it again.`);
