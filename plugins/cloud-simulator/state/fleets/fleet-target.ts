import type { Market } from '../../launch/specification/launch-spec.ts';

/** Target of a fleet in units; the two parts sum up to the whole. */
export interface FleetTarget {
  readonly total: number;
  readonly onDemand: number;
  readonly spot: number;
  readonly defaultType: Market;
  /** What a unit is when not a machine by its weight. */
  readonly unitType: UnitType | undefined;
}

export type UnitType = 'units' | 'vcpu' | 'memory-mib';
