import type { Market } from '../../launch/specification/launch-spec.ts';
import type { Params } from '../../wire/form.ts';

/**
 * One way in which a fleet may get machines: a template with one of its overrides, or one launch specification of a
 * Spot fleet.
 */
export interface FleetPool {
  /** Names a template, which must still be there when machines are ordered; undefined for a launch specification. */
  readonly template: Params | undefined;
  /** Launch data, in the names of RunInstances: the specification's, or the template's when it was last looked up. */
  readonly data: Params;
  /** What lies over the data; as it came. */
  readonly override: Params;
  /** Attributes that the types to launch must have, instead of one type. */
  readonly requirements: Params | undefined;
  /** Alternatives; none = what the data says, or anywhere. */
  readonly subnets: readonly string[];
  readonly zones: readonly string[];
  /** Units that one machine counts. */
  readonly weight: number;
  /** Lower is preferred; pools without come last. */
  readonly priority: number;
  /** The most that a unit may cost an hour on the Spot market. */
  readonly maxPrice: number | undefined;
  /** Tag specifications of the call for machines. */
  readonly tags: Params;
  /** `<launchTemplateAndOverrides>`: it says no more of the pool than the override did. */
  readonly xml: string;
}

/** One pool that could not deliver. */
export interface FleetError {
  readonly poolXml: string;
  readonly market: Market;
  readonly code: string;
  readonly message: string;
}
