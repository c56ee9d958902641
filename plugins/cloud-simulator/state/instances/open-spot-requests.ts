import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import type { Tags } from '../tags.ts';

/** A Spot request of RequestSpotInstances that has no machine yet, or was cancelled or expired before it had one. */
export interface OpenSpotRequest {
  readonly id: string;
  /** In the order of machines: the place of the request in lists. */
  readonly place: number;
  readonly spec: LaunchSpec;
  readonly createdAt: number;
  readonly validFrom: number;
  readonly validUntil: number | undefined;
  tags: Tags;
  state: 'open' | 'cancelled' | 'closed';
  status: { readonly code: string; readonly updatedAt: number };
}
