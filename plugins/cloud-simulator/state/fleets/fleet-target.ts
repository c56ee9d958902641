import type { Market } from '../../launch/specification/launch-spec.ts';

/** Target of a fleet in units; the sum of the two parts is the total. */
export interface FleetTarget {
  readonly total: number;
  readonly onDemand: number;
  readonly spot: number;
  readonly defaultType: Market;
  /** The unit of the target; undefined = machines by weight. */
  readonly unitType: UnitType | undefined;
}

export type UnitType = 'units' | 'vcpu' | 'memory-mib';
