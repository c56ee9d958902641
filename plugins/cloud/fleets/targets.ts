import type { ReleaseTarget, MachineRef } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import type { MachineData } from '../observe/machines.ts';
import { weightOf, type Pool } from '../launch/pools.ts';

/** The target capacity of a fleet, in units. */
export interface Target {
  readonly total: number;
  readonly onDemand: number;
  readonly spot: number;
}

/** The largest target of one fleet in EC2. */
const maxUnits = 10_000;

/** The smallest weight among pools: the least units of one machine. */
export const unitOf = (template: CloudTemplate, pools: readonly Pool[]): number =>
  Math.min(...pools.map((pool) => weightOf(template, pool.machine_type)));

/**
 * The target for a number of machines: machines × the smallest weight, separately for each market, because a fleet
 * rounds up to whole machines in each market. A fleet never starts more machines than ordered. It starts fewer when it
 * chooses heavier ones, and the core orders the rest.
 */
export function targetFor(
  template: CloudTemplate,
  pools: readonly Pool[],
  machineCount: number,
  unit: number = unitOf(template, pools),
): Target {
  const machines = Math.min(machineCount, Math.floor(maxUnits / unit));
  const markets = new Set(pools.map((pool) => pool.market));
  const onDemand = !markets.has('spot')
    ? machines
    : !markets.has('on-demand')
      ? 0
      : Math.round((machines * (template.percent_on_demand ?? 0)) / 100);
  return { total: machines * unit, onDemand: onDemand * unit, spot: (machines - onDemand) * unit };
}

/** The pools that a target uses: not those of a market with target 0, which a later order may use. */
export function poolsFor(target: Target, pools: readonly Pool[]): Pool[] {
  return pools.filter((pool) => (pool.market === 'spot' ? target.spot : target.onDemand) > 0);
}

/** How a fleet counts its machines. */
interface Counted {
  readonly unit: number;
  /** The share of on-demand machines, from 0 to 1. */
  readonly on_demand: number;
}

/**
 * The target of a fleet that keeps `stay` and may get `to_come` machines more. The target is absolute, so that a
 * repeated call changes nothing. Incoming machines are divided between the markets so that all machines together have
 * the on-demand share of the fleet.
 */
export function targetOf(
  { unit, on_demand }: Counted,
  { stay, to_come }: Pick<ReleaseTarget, 'stay' | 'to_come'>,
): Target {
  const staying = { 'on-demand': 0, spot: 0 };
  let stayingOnDemand = 0;
  for (const machine of stay) {
    const market = dataOf(machine)?.market ?? (on_demand > 0.5 ? 'on-demand' : 'spot');
    staying[market] += dataOf(machine)?.weight ?? unit;
    if (market === 'on-demand') stayingOnDemand += 1;
  }
  const share = Math.round((stay.length + to_come) * on_demand);
  const more = Math.min(to_come, Math.max(0, share - stayingOnDemand));
  const onDemand = staying['on-demand'] + more * unit;
  const spot = staying.spot + (to_come - more) * unit;
  return { total: onDemand + spot, onDemand, spot };
}

const dataOf = (machine: MachineRef): MachineData | undefined => machine.data as MachineData | undefined;
