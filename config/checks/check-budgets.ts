import type { Finding } from '../../core/contract/findings.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { BudgetEntry } from '../schema.ts';

/** The limits of a budget. */
const limits = ['max_machines', 'max_vcpus', 'max_usd_per_hour', 'max_usd_per_day'] as const;

/**
 * The findings about budgets beyond their shape: names that two share, no limit, an unused price, and an instance that
 * is not configured, which is a warning, because another broker may have it.
 */
export function checkBudgets(budgets: readonly BudgetEntry[], instances: readonly string[]): readonly Finding[] {
  const names = new Map<string, number>();
  return budgets.flatMap((budget, index) => {
    const findings: Finding[] = [];
    const report = (level: Finding['level'], path: string, message: string) =>
      findings.push({ level, path: `/budgets/${index}${path}`, message });
    const first = names.get(budget.name);
    if (first === undefined) names.set(budget.name, index);
    else report('error', '/name', `'${budget.name}' is already the name of /budgets/${first}`);
    if (limits.every((limit) => budget[limit] === undefined))
      report('error', '', `the budget limits nothing: set one of ${limits.join(', ')}`);
    if (
      budget.unknown_price_usd !== undefined &&
      budget.max_usd_per_hour === undefined &&
      budget.max_usd_per_day === undefined
    )
      report('warning', '/unknown_price_usd', 'it has no effect without max_usd_per_hour or max_usd_per_day');
    const { provider_instance } = budget.match;
    if (provider_instance !== undefined && !instances.includes(provider_instance))
      report(
        'warning',
        '/match/provider_instance',
        `no provider instance '${provider_instance}' is configured here${hint(provider_instance, instances)}`,
      );
    return findings;
  });
}
