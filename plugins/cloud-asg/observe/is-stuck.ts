import type { FaultKind, MachineReport, Shortfall } from '../../../core/index.ts';
import type { MachineData, Market } from '../../cloud/index.ts';
import type { Prepared } from '../group-handle.ts';

/** After these another try in the same place is of no use. */
const final: ReadonlySet<FaultKind> = new Set(['capacity', 'quota', 'invalid', 'credentials']);

/**
 * Whether a group that is short goes on to no effect: each pool that it still draws on has said why it gives nothing.
 * A market of which the group has its share is drawn on no more. Pure. /
 */
export function isStuck(prepared: Prepared, machines: readonly MachineReport[], found: readonly Shortfall[]): boolean {
  const said = new Set(found.flatMap(({ offer, kind }) => (offer !== undefined && final.has(kind) ? [offer] : [])));
  const has = { 'on-demand': 0, spot: 0 } satisfies Record<Market, number>;
  for (const { status, data } of machines) {
    if (status !== 'pending' && status !== 'running') continue;
    const { market, weight } = (data ?? {}) as Partial<MachineData>;
    if (market !== undefined) has[market] += prepared.weighted ? (weight ?? prepared.unit) : 1;
  }
  const drawn = prepared.pools.filter(({ market }) => has[market] < prepared.target[market]);
  return drawn.length > 0 && drawn.every(({ key }) => said.has(key));
}
