import type { ReleaseTarget, MachineRef } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import type { MachineData } from '../observe/machines.ts';
import { marketNames, type Market } from '../launch/markets.ts';
import { weightOf, type Pool } from '../launch/pools.ts';

/** The target capacity of a fleet, in units: in all, and of each market. */
export interface Target {
  readonly total: number;
  readonly units: Readonly<Record<Market, number>>;
}

/** The target with these units. A market that is not named has none. */
export function targetWith(units: Readonly<Partial<Record<Market, number>>>): Target {
  const all = Object.fromEntries(marketNames.map((market) => [market, units[market] ?? 0])) as Target['units'];
  return { total: Object.values(all).reduce((sum, each) => sum + each, 0), units: all };
}

export const isSameTarget = (a: Target, b: Target): boolean =>
  marketNames.every((market) => a.units[market] === b.units[market]);

/** The largest target of one fleet in EC2. */
const maxUnits = 10_000;

/** The smallest weight among pools: the least units of one machine. */
const unitOf = (template: CloudTemplate, pools: readonly Pool[]): number =>
  Math.min(...pools.map((pool) => weightOf(template, pool.machine_type)));

/** What an order requests from a fleet or a group. */
export interface FleetPlan {
  readonly target: Target;
  /** The pools that the target uses: not those of a market without units, which a later order may use. */
  readonly pools: readonly Pool[];
  /** The least units of capacity of one machine of these pools. */
  readonly unit: number;
}

/**
 * The plan for a number of machines: machines × the smallest weight, separately for each market, because a fleet
 * rounds up to whole machines in each market. A fleet never starts more machines than ordered. It starts fewer when it
 * chooses heavier ones, and the core orders the rest. `unit`: the least units of a machine where a native
 * specification gives them.
 */
export function planFor(
  template: CloudTemplate,
  offered: readonly Pool[],
  machineCount: number,
  unit?: number,
): FleetPlan {
  const divided = dividedOver(template, offered, machineCount);
  const pools = offered.filter((pool) => (divided[pool.market] ?? 0) > 0);
  const each = unit ?? unitOf(template, pools);
  const allowed = Math.min(machineCount, Math.floor(maxUnits / each));
  const machines = Object.entries(dividedOver(template, pools, allowed)) as [Market, number][];
  const target = targetWith(Object.fromEntries(machines.map(([market, count]) => [market, count * each])));
  return { target, pools: pools.filter((pool) => target.units[pool.market] > 0), unit: each };
}

/** Machines by market: the on-demand share where the pools are of both markets. */
function dividedOver(
  template: CloudTemplate,
  pools: readonly Pool[],
  machines: number,
): Readonly<Partial<Record<Market, number>>> {
  const offered = new Set(pools.map(({ market }) => market));
  const [first = 'on-demand'] = offered;
  if (!offered.has('spot') || !offered.has('on-demand')) return { [first]: machines };
  const onDemand = Math.round((machines * (template.percent_on_demand ?? 0)) / 100);
  return { 'on-demand': onDemand, spot: machines - onDemand };
}

/** How a fleet counts its machines. */
interface Counted {
  readonly unit: number;
  /** The share of on-demand machines, from 0 to 1. */
  readonly on_demand: number;
}

/**
 * The target of a fleet that keeps `stay` and may get `incoming` machines more. The target is absolute, so that a
 * repeated call changes nothing. Incoming machines are divided between the markets so that all machines together have
 * the on-demand share of the fleet.
 */
export function targetOf(
  { unit, on_demand }: Counted,
  { stay, incoming }: Pick<ReleaseTarget, 'stay' | 'incoming'>,
): Target {
  const staying: Partial<Record<Market, number>> = {};
  let stayingOnDemand = 0;
  for (const machine of stay) {
    const market = dataOf(machine)?.market ?? (on_demand > 0.5 ? 'on-demand' : 'spot');
    staying[market] = (staying[market] ?? 0) + (dataOf(machine)?.weight ?? unit);
    if (market === 'on-demand') stayingOnDemand += 1;
  }
  const share = Math.round((stay.length + incoming) * on_demand);
  const more = Math.min(incoming, Math.max(0, share - stayingOnDemand));
  return targetWith({
    ...staying,
    'on-demand': (staying['on-demand'] ?? 0) + more * unit,
    spot: (staying.spot ?? 0) + (incoming - more) * unit,
  });
}

const dataOf = (machine: MachineRef): MachineData | undefined => machine.data as MachineData | undefined;
