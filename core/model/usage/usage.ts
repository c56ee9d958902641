import type { MachineRecord } from '../machine.ts';

/** The topic of the facts that sum up the use of machines that are gone, by UTC day. */
export const usageTopic = 'usage';

/** The fields of machines by which use is summed up. */
export const usageFields = ['template_id', 'provider_instance', 'machine_type', 'market'] as const;
export type UsageField = (typeof usageFields)[number];

/** What machines used. Numbers add up. */
export interface Amounts {
  readonly machine_ms: number;
  readonly vcpu_ms: number;
  /** Of machines whose number of vCPUs is not known. */
  readonly unsized_ms: number;
  readonly usd: number;
  /** Of machines without a known price. */
  readonly unpriced_ms: number;
}

/**
 * The use of one kind of machines on one UTC day, `YYYY-MM-DD`. `kind`: the values of the fields as a JSON array, and
 * after them the `usage_tags` of the machines, where they have some.
 */
export interface UsageRow {
  readonly day: string;
  readonly kind: string;
  readonly amounts: Amounts;
}

/** Days of use that are counted in the commit of a machine's end. What is before is counted in earlier commits. */
export const mostDaysAtEnd = 7;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The use of a machine, by UTC day: from its launch to the end that the provider dates, else to the accepted release,
 * else to the time when muster learned of its end, else to `now`. The price is that which was known when the machine
 * came.
 */
export function usageOf(machine: MachineRecord, now: number): readonly UsageRow[] {
  const { used_from = machine.created_at, used_until, released_at, gone_at, vcpus, price } = machine;
  const end = used_until ?? Math.min(released_at ?? Infinity, gone_at ?? Infinity, now);
  const kind = kindOf(machine);
  const rows: UsageRow[] = [];
  for (let from = used_from; from < end; ) {
    const midnight = (Math.floor(from / dayMs) + 1) * dayMs;
    const ms = Math.min(midnight, end) - from;
    const amounts = {
      machine_ms: ms,
      vcpu_ms: ms * (vcpus ?? 0),
      unsized_ms: vcpus === undefined ? ms : 0,
      usd: ((price?.usd_per_hour ?? 0) * ms) / hourMs,
      unpriced_ms: price === undefined ? ms : 0,
    };
    rows.push({ day: new Date(from).toISOString().slice(0, 10), kind, amounts });
    from = midnight;
  }
  return rows;
}

function kindOf(machine: MachineRecord): string {
  const fields = usageFields.map((field) => machine[field] ?? null);
  return JSON.stringify(machine.usage_tags === undefined ? fields : [...fields, machine.usage_tags]);
}

/** The time after the last day of rows that are in order. */
export const endOfDays = (rows: readonly UsageRow[]): number => Date.parse(rows.at(-1)?.day ?? '') + dayMs;

/**
 * What a change of a machine adds to the sums over machines that are gone. A machine that counted as gone and lives is
 * subtracted again. So the sums are always those of the stored machines that are gone, and of those that were removed.
 */
export function usageChange(before: MachineRecord | undefined, after: MachineRecord): readonly UsageRow[] {
  const counted = (machine: MachineRecord | undefined): readonly UsageRow[] =>
    machine?.gone_at === undefined ? [] : usageOf(machine, machine.gone_at);
  const [less, more] = [counted(before), counted(after)];
  if (less.length === 0) return more;
  if (JSON.stringify(less) === JSON.stringify(more)) return [];
  return [...less.map((row) => ({ ...row, amounts: scaled(row.amounts, -1) })), ...more];
}

const scaled = (amounts: Amounts, factor: number): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * factor])) as unknown as Amounts;

export const noUsage: Amounts = { machine_ms: 0, vcpu_ms: 0, unsized_ms: 0, usd: 0, unpriced_ms: 0 };

export function plusAmounts(a: Amounts, b: Partial<Amounts>): Amounts {
  return {
    machine_ms: a.machine_ms + (b.machine_ms ?? 0),
    vcpu_ms: a.vcpu_ms + (b.vcpu_ms ?? 0),
    unsized_ms: a.unsized_ms + (b.unsized_ms ?? 0),
    usd: a.usd + (b.usd ?? 0),
    unpriced_ms: a.unpriced_ms + (b.unpriced_ms ?? 0),
  };
}

/** Sums rows of the same day and kind. */
export function summed(rows: Iterable<UsageRow>): readonly UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) addRow(sums, row);
  return [...sums.values()];
}

/** Adds a row to the sum of its day and kind. */
export function addRow(sums: Map<string, UsageRow>, { day, kind, amounts }: UsageRow): void {
  const key = `${day} ${kind}`;
  const before = sums.get(key);
  sums.set(key, { day, kind, amounts: before ? plusAmounts(before.amounts, amounts) : amounts });
}
