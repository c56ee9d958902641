import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { marketsOf } from '../launch/pools.ts';

/** Reports fields that contradict the market, or that have no effect in it. */
export function reviewMarket(template: CloudTemplate): Finding[] {
  const { max_price, percent_on_demand, tenancy } = template;
  const markets = marketsOf(template);
  const spot = markets.includes('spot');
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });
  if (max_price !== undefined && !spot) warning('/max_price', 'has no effect without price_type spot or mixed');
  if (max_price !== undefined && Number(max_price) <= minPrice) error('/max_price', `must be more than ${minPrice}`);
  if (percent_on_demand !== undefined && !spot)
    warning('/percent_on_demand', 'has no effect without price_type spot or mixed');
  if (spot && tenancy === 'host')
    error('/tenancy', 'cannot be host with Spot machines: a Dedicated Host has on-demand machines only');
  return [...findings, ...reviewOnDemandTypes(template), ...reviewCapacityBlock(template)];
}

/** US dollars; EC2 treats lower prices as absent. */
const minPrice = 0.001;

/** The types of the on-demand market, where the template names them separately. */
function reviewOnDemandTypes(template: CloudTemplate): Finding[] {
  const { machine_types = {}, machine_types_on_demand: own, percent_on_demand = 0 } = template;
  if (own === undefined || Object.keys(own).length === 0) return [];
  const path = '/machine_types_on_demand';
  if (marketsOf(template).length < 2)
    return [{ level: 'warning', path, message: 'has no effect without price_type mixed' }];
  const findings: Finding[] = [];
  const error = (at: string, message: string) => findings.push({ level: 'error', path: at, message });
  if (percent_on_demand > 0 && percent_on_demand < 100)
    error(path, 'cannot be combined with percent_on_demand: one fleet has the same machine types in both markets');
  for (const [type, weight] of Object.entries(own))
    if (machine_types[type] !== undefined && machine_types[type] !== weight)
      error(`${path}/${type}`, `must have the weight ${machine_types[type]}, as in machine_types`);
  return findings;
}

function reviewCapacityBlock(template: CloudTemplate): Finding[] {
  if (!marketsOf(template).includes('capacity-block')) return [];
  const { id, resource_group_arn } = template.capacity_reservation ?? {};
  if (id !== undefined || resource_group_arn !== undefined) return [];
  return [
    {
      level: 'error',
      path: '/capacity_reservation',
      message:
        'must name the capacity block with price_type capacity_block: set capacity_reservation.id, or resource_group_arn',
    },
  ];
}
