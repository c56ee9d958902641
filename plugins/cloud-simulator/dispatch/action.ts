import type { ActionName } from '../actions/action-names.ts';
import type { CallContext } from '../state/call-context.ts';
import type { SessionBook } from '../state/sessions.ts';
import type { Params } from '../wire/form.ts';

/**
 * One action of the simulated cloud. A new one is one file that exports one of these, one line in the `index.ts` of
 * its folder and its name in `action-names.ts`. /
 */
export interface Action {
  readonly name: ActionName;
  /** API version that it belongs to; EC2's unless said otherwise. */
  readonly version?: string;
  /** Whether it changes the cloud: it then draws from the smaller request buckets. */
  readonly mutating: boolean;
  /** Where the client token stands, when not in `ClientToken`. */
  readonly token?: string;
  /** Machines that the call asks for: what it draws from the resource buckets. Default none. */
  resources?(params: Params): number;
  /**
   * Takes effect and returns the XML of the answer's members, or throws an AwsError and has changed nothing.
   * Synchronous, so that calls never mix.
   */
  handle(call: ActionCall): string;
}

/** One call of an action. */
export interface ActionCall extends CallContext {
  readonly action: string;
  readonly params: Params;
  /** The client token, when it carries one that is not empty. */
  readonly token: string | undefined;
  /** Equal for calls with equal parameters, whatever their token. */
  readonly paramsHash: string;
  readonly accessKey: string;
  /** The sessions that AssumeRole has opened, in all accounts. */
  readonly sessions: SessionBook;
}
