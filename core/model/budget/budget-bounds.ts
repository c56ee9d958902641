import type { Reserved } from './reserved.ts';

/** The bounds of one budget in a commit, and what the commit asks for. Amounts of money are millionths of a dollar. */
export interface BudgetBounds {
  readonly max_machines?: number;
  readonly max_vcpus?: number;
  readonly max_microusd_per_hour?: number;
  /** What ran in the last 24 hours, and one hour of everything reserved, must not cost more than `max_microusd`. */
  readonly day?: { readonly max_microusd: number; readonly ran_microusd: number };
  /** The price of an hour of a machine whose price is not known. Absent: such machines are refused. */
  readonly unknown_microusd?: number;
  /** By how much the commit increases what is reserved. What it does not increase is not checked. */
  readonly asked: Reserved;
}

/** The limit that a commit exceeds. */
export interface Exceeded {
  readonly limit: 'max_machines' | 'max_vcpus' | 'max_usd_per_hour' | 'max_usd_per_day';
  readonly max: number;
  /** Without the commit. */
  readonly used: number;
  readonly asked: number;
  /** Set when the amount is not known: the number of machines without it. */
  readonly unknown?: number;
}

/** The amount in millionths of a dollar for an hour, with the price of machines whose price is not known. */
export const microusdOf = ({ microusd, unpriced }: Reserved, unknown = 0): number => microusd + unpriced * unknown;

/**
 * Whether a commit asks for more dollars. Where machines without a known price count with one, a price that becomes
 * known asks only for what it is higher.
 */
export const asksForDollars = ({
  asked,
  unknown_microusd,
}: Pick<BudgetBounds, 'asked' | 'unknown_microusd'>): boolean =>
  unknown_microusd === undefined ? asked.microusd > 0 || asked.unpriced > 0 : microusdOf(asked, unknown_microusd) > 0;

/** The first limit that is exceeded by `after`, which is what is reserved with the commit. */
export function exceeded(bounds: BudgetBounds, after: Reserved): Exceeded | undefined {
  const { max_machines, max_vcpus, max_microusd_per_hour, day, unknown_microusd, asked } = bounds;
  if (max_machines !== undefined && asked.machines > 0 && after.machines > max_machines)
    return {
      limit: 'max_machines',
      max: max_machines,
      used: after.machines - asked.machines,
      asked: asked.machines,
    };
  if (max_vcpus !== undefined && (asked.vcpus > 0 || asked.unsized > 0)) {
    const vcpus = { limit: 'max_vcpus', max: max_vcpus, used: after.vcpus - asked.vcpus, asked: asked.vcpus } as const;
    if (after.unsized > 0) return { ...vcpus, unknown: after.unsized };
    if (after.vcpus > max_vcpus) return vcpus;
  }
  if ((max_microusd_per_hour === undefined && day === undefined) || !asksForDollars(bounds)) return undefined;
  const total = microusdOf(after, unknown_microusd);
  const more = microusdOf(asked, unknown_microusd);
  const unknown = unknown_microusd === undefined && after.unpriced > 0 ? { unknown: after.unpriced } : {};
  const dollars = (limit: Exceeded['limit'], max: number, used: number): Exceeded => ({
    limit,
    max: max / 1e6,
    used: used / 1e6,
    asked: more / 1e6,
    ...unknown,
  });
  const isUnknown = unknown.unknown !== undefined;
  if (max_microusd_per_hour !== undefined && (isUnknown || total > max_microusd_per_hour))
    return dollars('max_usd_per_hour', max_microusd_per_hour, total - more);
  if (day !== undefined && (isUnknown || total + day.ran_microusd > day.max_microusd))
    return dollars('max_usd_per_day', day.max_microusd, total - more + day.ran_microusd);
  return undefined;
}
