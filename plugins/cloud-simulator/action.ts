import type { Countdown } from './countdown.ts';
import type { Knobs } from './knobs.ts';
import type { RandomSource } from './random.ts';
import type { RegionState } from './state/region-state.ts';
import type { Params } from './wire/form.ts';

/** One action of the simulated cloud. A new one is one file that exports one of these, and one line in `actions/index.ts`. */
export interface Action {
  readonly name: string;
  /** API version that it belongs to; EC2's unless said otherwise. */
  readonly version?: string;
  /** Whether it changes the cloud: it then draws from the smaller request buckets. */
  readonly mutating: boolean;
  /** Machines that the call asks for: what it draws from the resource buckets. Default none. */
  resources?(params: Params): number;
  /** Takes effect and returns the XML of the answer's members, or throws an AwsError and has changed nothing. Synchronous, so that calls never mix. */
  handle(call: ActionCall): string;
}

/** One call of an action. */
export interface ActionCall {
  readonly action: string;
  readonly params: Params;
  /** Equal for calls with equal parameters, whatever their token. */
  readonly paramsHash: string;
  readonly accessKey: string;
  readonly state: RegionState;
  readonly knobs: Knobs;
  readonly counted: Countdown;
  readonly random: RandomSource;
  readonly now: number;
  /** Ids that the call made, changed or removed: the action adds them, the audit shows them. */
  readonly touched: string[];
}
