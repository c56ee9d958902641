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
 * The target of a fleet that lets `go` go, keeps `stay` and may get `incoming` machines more. The target is absolute,
 * so that a repeated call changes nothing.
 *
 * The fleet may have started some of the incoming machines already, in any market. They take the places of the
 * `current` target that no known machine has. If a market got fewer places than it has machines, another market would
 * get more, and the fleet would start machines there, although it has enough in all. `current` may be the target
 * before this change or after it. So the places of machines in `go` come second: before the change they are free only
 * after these machines. Machines for which there is no place are divided between the markets so that all machines
 * together have the on-demand share of the fleet.
 */
export function targetOf(
  { unit, on_demand }: Counted,
  current: Target,
  { go, stay, incoming }: ReleaseTarget,
): Target {
  const marketOf = (machine: MachineRef) => dataOf(machine)?.market ?? (on_demand > 0.5 ? 'on-demand' : 'spot');
  const unitsOf = (machines: readonly MachineRef[]) => {
    const of = Map.groupBy(machines, marketOf);
    return (market: Market) =>
      (of.get(market) ?? []).reduce((sum, machine) => sum + (dataOf(machine)?.weight ?? unit), 0);
  };
  const [going, staying] = [unitsOf(go), unitsOf(stay)];
  const free = (market: Market) => Math.max(0, current.units[market] - staying(market));
  // A fleet rounds up to whole machines in each market: where heavier ones leave less than a place, one may have it.
  const first = dividedBy(incoming, (market) => Math.ceil(Math.max(0, free(market) - going(market)) / unit));
  const second = dividedBy(first.left, (market) => Math.floor(Math.min(free(market), going(market)) / unit));
  const placed = (market: Market) => first.of[market] + second.of[market];
  const share = Math.round((stay.length + incoming) * on_demand);
  const onDemand = stay.filter((machine) => marketOf(machine) === 'on-demand').length + placed('on-demand');
  const more = Math.min(second.left, Math.max(0, share - onDemand));
  const others: Partial<Record<Market, number>> = { 'on-demand': more, spot: second.left - more };
  return targetWith(
    Object.fromEntries(
      marketNames.map((market) => [market, staying(market) + (placed(market) + (others[market] ?? 0)) * unit]),
    ),
  );
}

/**
 * Divides machines between the markets in proportion to the places, none above them. `left`: those without a place.
 */
function dividedBy(
  machines: number,
  placesOf: (market: Market) => number,
): { readonly of: Readonly<Record<Market, number>>; readonly left: number } {
  const of = { ...targetWith({}).units };
  let places = marketNames.reduce((sum, market) => sum + placesOf(market), 0);
  let rest = Math.min(machines, places);
  const left = machines - rest;
  for (const market of marketNames) {
    if (rest === 0) break;
    of[market] = Math.round((rest * placesOf(market)) / places);
    rest -= of[market];
    places -= placesOf(market);
  }
  return { of, left };
}

const dataOf = (machine: MachineRef): MachineData | undefined => machine.data as MachineData | undefined;
