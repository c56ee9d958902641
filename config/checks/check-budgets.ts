import type { Finding } from '../../core/contract/findings.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { BudgetEntry } from '../schema.ts';

/** The limits of a budget. */
const limits = ['max_machines', 'max_vcpus', 'max_usd_per_hour', 'max_usd_per_day'] as const;

/** A provider instance as far as budgets match its machines. */
type Instance = Pick<ProviderInstance, 'name' | 'template_defaults'>;

/**
 * The findings about budgets beyond their shape: names that two share, no limit, an unused price, an instance that is
 * not configured, and tags that machines get by an instance, for which budgets do not look. The last two are warnings,
 * because another broker may have the instance, and templates may have the tag too.
 */
export function checkBudgets(budgets: readonly BudgetEntry[], configured: readonly Instance[]): readonly Finding[] {
  const instances = configured.map(({ name }) => name);
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
    for (const tag of Object.keys(budget.match.tags ?? {}))
      for (const { name } of configured.filter(({ template_defaults }) => tagsBy(template_defaults).includes(tag)))
        report(
          'warning',
          '/match/tags',
          `machines that have '${tag}' only by template_defaults of '${name}' do not count: set it in their templates`,
        );
    return findings;
  });
}

/** The names of the tags that an instance gives to machines. */
const tagsBy = ({ tags, additional_data_tags }: Instance['template_defaults']): readonly string[] => [
  ...Object.keys(typeof tags === 'object' && tags !== null ? tags : {}),
  ...(Array.isArray(additional_data_tags) ? (additional_data_tags as readonly string[]) : []),
];
