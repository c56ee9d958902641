import type { MachineReport, Shortfall } from '../../../core/index.ts';
import { explainsAll, type MachineData, type Market } from '../../cloud/index.ts';
import type { Prepared } from '../group-handle.ts';

/**
 * Whether retries of a group that is short are useless: every pool that could deliver the missing capacity refused. A
 * market in which the group has its target needs no pool.
 */
export function isStuck(prepared: Prepared, machines: readonly MachineReport[], found: readonly Shortfall[]): boolean {
  const units: Partial<Record<Market, number>> = {};
  for (const { status, data } of machines) {
    if (status !== 'pending' && status !== 'running') continue;
    const { market, weight } = (data ?? {}) as Partial<MachineData>;
    if (market !== undefined)
      units[market] = (units[market] ?? 0) + (prepared.weighted ? (weight ?? prepared.unit) : 1);
  }
  return explainsAll(
    found,
    prepared.pools.filter(({ market }) => (units[market] ?? 0) < (prepared.target[market] ?? 0)),
  );
}
