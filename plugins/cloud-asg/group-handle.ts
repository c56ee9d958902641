import type { Market, Pool, TemplateVersion } from '../cloud/index.ts';

/** Identifies a group, and holds what its sizes are computed from. */
export interface GroupHandle {
  readonly name: string;
  /** Units of capacity of the machine type with the lowest weight that the group may start. */
  readonly unit: number;
  /** Whether a unit is a weight. Otherwise a unit is a machine. */
  readonly weighted: boolean;
}

/** Stored before the launch: each attempt to send the order sends exactly this. */
export interface Prepared extends GroupHandle {
  /** The input of CreateAutoScalingGroup. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly template: TemplateVersion;
  /** Pools that this order may use. */
  readonly pools: readonly Pool[];
  /** Units that the order requests in each market. */
  readonly target: Readonly<Record<Market, number>>;
}

export const handleOf = ({ name, unit, weighted }: Prepared): GroupHandle => ({ name, unit, weighted });
