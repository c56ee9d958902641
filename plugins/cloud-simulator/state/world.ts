import { createRegionState, type PlanParts } from './region-state.ts';
import type { RegionState } from './call-context.ts';

/** All accounts and regions. The first call of a pair creates its state. */
export interface World {
  region(account: string, region: string): RegionState;
  regions(): Iterable<RegionState>;
  clear(): void;
}

export function createWorld(around: PlanParts): World {
  const byKey = new Map<string, RegionState>();
  return {
    region(account, region) {
      const key = `${account}/${region}`;
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const made = createRegionState(account, region, around);
      byKey.set(key, made);
      return made;
    },
    regions: () => byKey.values(),
    clear: () => byKey.clear(),
  };
}
