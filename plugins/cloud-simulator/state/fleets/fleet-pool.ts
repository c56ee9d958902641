import type { LaunchedFrom, Market } from '../../launch/specification/launch-spec.ts';
import type { AwsError } from '../../wire/errors.ts';
import type { Params } from '../../wire/form.ts';

/**
 * A source of machines of a fleet: a template with one of its overrides, or one launch specification of a Spot fleet.
 */
export interface FleetPool {
  /** The template, which must still exist when machines are ordered; undefined for a launch specification. */
  readonly template: Params | undefined;
  /** The version of the template that the data are of. */
  readonly from: LaunchedFrom | undefined;
  /** Why no machine can be launched from the pool: its template does not exist, or is not visible yet. */
  readonly refusal?: AwsError;
  /** Launch data, in the names of RunInstances: the specification's, or the template's when it was last looked up. */
  readonly data: Params;
  /** The override of the data, as received. */
  readonly override: Params;
  /** Attributes that the types to launch must have, instead of one type. */
  readonly requirements: Params | undefined;
  /** Alternative subnets; empty = the subnet of the data, or any. */
  readonly subnets: readonly string[];
  readonly zones: readonly string[];
  /** Units that one machine counts. */
  readonly weight: number;
  /** Lower is preferred; pools without a priority come last. */
  readonly priority: number;
  /** Maximum price of a unit per hour on the Spot market. */
  readonly maxPrice: number | undefined;
  /** Tag specifications of the call for machines. */
  readonly tags: Params;
  /** `<launchTemplateAndOverrides>`, with only the contents of the override. */
  readonly xml: string;
}

/** One pool that could not deliver. */
export interface FleetError {
  readonly poolXml: string;
  readonly market: Market;
  readonly code: string;
  readonly message: string;
}
