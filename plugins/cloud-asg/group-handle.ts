import type { Market, Pool, TemplateVersion } from '../cloud/index.ts';

/** By what a group is found again, and all that its sizes are worked out from. */
export interface GroupHandle {
  readonly name: string;
  /** Units of capacity of the lightest machine that it may start. */
  readonly unit: number;
  /** Its units are weights; else they are machines. */
  readonly weighted: boolean;
}

/** Frozen before the launch: exactly what is sent, each time. */
export interface Prepared extends GroupHandle {
  /** The input of CreateAutoScalingGroup. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly template: TemplateVersion;
  /** Pools that this order may draw on. */
  readonly pools: readonly Pool[];
  /** Units that it asks of each market. */
  readonly target: Readonly<Record<Market, number>>;
}

export const handleOf = ({ name, unit, weighted }: Prepared): GroupHandle => ({ name, unit, weighted });
