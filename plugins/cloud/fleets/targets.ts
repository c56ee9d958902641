import type { ReleaseTarget, MachineRef } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import type { MachineData } from '../observe/machines.ts';
import { weightOf, type Pool } from '../launch/pools.ts';

/** What a fleet is asked for, in units of capacity. */
export interface Target {
  readonly total: number;
  readonly onDemand: number;
  readonly spot: number;
}

/** EC2's limit of one fleet. */
const mostUnits = 10_000;

/** The smallest weight among pools: units that one machine counts as at least. */
export const unitOf = (template: CloudTemplate, pools: readonly Pool[]): number =>
  Math.min(...pools.map((pool) => weightOf(template, pool.machine_type)));

/**
 * Units for a number of machines: machines × the smallest weight, in each market by itself, because a fleet rounds up
 * to whole machines in each. So never more machines come than were asked for; fewer where heavier ones were chosen,
 * and the core orders the rest. /
 */
export function targetFor(
  template: CloudTemplate,
  pools: readonly Pool[],
  machineCount: number,
  unit: number = unitOf(template, pools),
): Target {
  const machines = Math.min(machineCount, Math.floor(mostUnits / unit));
  const markets = new Set(pools.map((pool) => pool.market));
  const onDemand = !markets.has('spot')
    ? machines
    : !markets.has('on-demand')
      ? 0
      : Math.round((machines * (template.percent_on_demand ?? 0)) / 100);
  return { total: machines * unit, onDemand: onDemand * unit, spot: (machines - onDemand) * unit };
}

/** Pools that a target draws on: a market of which nothing is asked is left for a later order. */
export function poolsFor(target: Target, pools: readonly Pool[]): Pool[] {
  return pools.filter((pool) => (pool.market === 'spot' ? target.spot : target.onDemand) > 0);
}

/** How a fleet counts its machines. */
interface Counted {
  readonly unit: number;
  /** Part of its machines that is on demand, from 0 to 1. */
  readonly on_demand: number;
}

/**
 * The target of a fleet that is to keep what stays and may get `to_come` machines more: absolute, so that saying it
 * twice, or after a crash, changes nothing. Those to come are shared between the markets so that all together have the
 * fleet's share on demand. /
 */
export function targetOf(
  { unit, on_demand }: Counted,
  { stay, to_come }: Pick<ReleaseTarget, 'stay' | 'to_come'>,
): Target {
  const staying = { 'on-demand': 0, spot: 0 };
  let here = 0;
  for (const machine of stay) {
    const market = dataOf(machine)?.market ?? (on_demand > 0.5 ? 'on-demand' : 'spot');
    staying[market] += dataOf(machine)?.weight ?? unit;
    if (market === 'on-demand') here += 1;
  }
  const share = Math.round((stay.length + to_come) * on_demand);
  const more = Math.min(to_come, Math.max(0, share - here));
  const onDemand = staying['on-demand'] + more * unit;
  const spot = staying.spot + (to_come - more) * unit;
  return { total: onDemand + spot, onDemand, spot };
}

const dataOf = (machine: MachineRef): MachineData | undefined => machine.data as MachineData | undefined;
