import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { marketsOf } from '../../launch/pools.ts';
import { strategiesOf } from '../strategies.ts';

/** What a template says of the choice among pools, and nobody looks at. */
export function reviewChoice(template: CloudTemplate): Finding[] {
  const markets = marketsOf(template);
  const findings: Finding[] = [];
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });
  if (template.allocation_strategy !== undefined && !markets.includes('spot'))
    warning('/allocation_strategy', 'has no effect without price_type spot or mixed');
  if (template.allocation_strategy_on_demand !== undefined && !markets.includes('on-demand'))
    warning('/allocation_strategy_on_demand', 'has no effect; no machine is had on demand');
  const { spot, onDemand } = strategiesOf(template);
  const heeded =
    (markets.includes('spot') && spot === 'capacity-optimized-prioritized') ||
    (markets.includes('on-demand') && onDemand === 'prioritized');
  if (template.machine_types_priority !== undefined && !heeded)
    warning(
      '/machine_types_priority',
      'has no effect with these allocation strategies; `capacity-optimized-prioritized` and `prioritized` heed it',
    );
  return findings;
}
