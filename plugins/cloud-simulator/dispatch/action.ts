import type { ActionName } from '../actions/action-names.ts';
import type { CallContext } from '../state/call-context.ts';
import type { SessionTable } from '../state/sessions.ts';
import type { Params } from '../wire/form.ts';

/**
 * One action of the simulated cloud. To add an action, write one file that exports it, one line in the `index.ts` of
 * its folder, and its name in `action-names.ts`.
 */
export interface Action {
  readonly name: ActionName;
  /** API version of the action; default EC2's. */
  readonly version?: string;
  /** Whether the action changes the cloud. Such actions draw from smaller request buckets. */
  readonly mutating: boolean;
  /** The parameter that holds the client token; default `ClientToken`. */
  readonly token?: string;
  /** The number of machines that the call draws from the bucket of machines. Default none. */
  resources?(params: Params): number;
  /**
   * Executes the call and returns the XML of the answer's members, or throws an AwsError. After an AwsError,
   * `touched` lists the resources that the call has changed nevertheless. Synchronous, so that calls never
   * interleave. A changing action of EC2 calls `endDryRun` before its first change.
   */
  handle(call: ActionCall): string;
}

/** An answer that may come up to `ms` later, in the computer's time; then the answer of `handle` is sent. */
export interface LaterAnswer {
  readonly ms: number;
  /** The answer at a time of the simulator's clock; undefined: not yet. */
  answer(now: number): string | undefined;
}

/** One call of an action. */
export interface ActionCall extends CallContext {
  readonly action: string;
  readonly params: Params;
  /** The client token; undefined if absent or empty. */
  readonly token: string | undefined;
  /** Equal for calls with equal parameters, whatever their token. */
  readonly paramsHash: string;
  readonly accessKey: string;
  /** An action whose answer may come later adds how: see `LaterAnswer`. */
  readonly later: LaterAnswer[];
  /** The sessions that AssumeRole has opened, in all accounts. */
  readonly sessions: SessionTable;
}
