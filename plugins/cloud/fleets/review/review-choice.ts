import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { marketsOf } from '../../launch/pools.ts';
import { onDemandStrategy, onlyStrategyOf, poolsCountOf, strategiesOf } from '../strategies.ts';

/** Reports settings for the choice among pools that have no effect. */
export function reviewChoice(template: CloudTemplate): Finding[] {
  const markets = marketsOf(template);
  const findings: Finding[] = [];
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });
  // Without Spot machines the field means the on-demand machines, if their market has such a strategy.
  const means = onDemandStrategy(onlyStrategyOf(template)) !== undefined;
  const named = template.allocation_strategy_on_demand !== undefined;
  if (template.allocation_strategy !== undefined && !markets.includes('spot') && (named || !means))
    warning('/allocation_strategy', 'has no effect without price_type spot or mixed');
  if (template.allocation_strategy_on_demand !== undefined && !markets.includes('on-demand'))
    warning('/allocation_strategy_on_demand', 'has no effect; the template starts no on-demand machines');
  const { spot, onDemand } = strategiesOf(template);
  if (template.pools_count !== undefined && !markets.includes('spot'))
    warning('/pools_count', 'has no effect without price_type spot or mixed');
  else if (template.pools_count !== undefined && poolsCountOf(template) === undefined)
    warning('/pools_count', 'has no effect; only the allocation_strategy lowest-price divides machines over pools');
  const usesPriority =
    (markets.includes('spot') && spot === 'capacity-optimized-prioritized') ||
    (markets.includes('on-demand') && onDemand === 'prioritized');
  if (template.machine_types_priority !== undefined && !usesPriority)
    warning(
      '/machine_types_priority',
      'has no effect with these allocation strategies; only `capacity-optimized-prioritized` and `prioritized` use it',
    );
  return findings;
}
