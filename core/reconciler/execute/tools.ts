import { isBrokerError } from '../../contract/errors.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { LaunchOrder, ProviderApi } from '../../contract/provider.ts';
import type { Template } from '../../model/template.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { CalledFor } from '../../providers/guard/called-for.ts';
import type { Permit } from '../../providers/guard/guarded-calls.ts';
import type { Connected, SessionPool } from '../../providers/guard/session-pool.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import type { SlotQueue } from '../claims/slot-queue.ts';
import type { Observer } from './shared-observations.ts';
import type { Owners } from './owners.ts';

/** What came of a step, to be taken in by the case as it is then. */
export type Apply = (change: StateChange) => void;

export interface Tools {
  readonly pool: SessionPool;
  readonly observer: Observer;
  readonly owners: Owners;
  readonly settings: Settings;
  readonly installation: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  monotonic(): number;
  /** What is known of an API without its instance. It is called through the connected instance alone. */
  api(attempt: { readonly provider_type: string; readonly api: string }): ProviderApi | undefined;
  /** Commits in the middle of a step: what must be durable before the next call. */
  record(claimed: ClaimedRequest, apply: Apply): Promise<void>;
  /** Requests that wait for one of the requests open at an instance to end. */
  readonly slots: SlotQueue;
  /** Limits how many changing calls of one instance run at once. */
  slot<T>(instance: string, call: () => Promise<T>): Promise<T>;
  /** What is wrong with the machines that an instance reports; undefined: nothing. */
  tellReports(instance: string, trouble: string | undefined): void;
}

/** Without a word from the provider, it is asked again after this time. */
export const defaultAgainMs = 2_000;

/**
 * The session, or the fault that keeps us from it, or from what is to be done there for the requests of a template.
 */
export async function connect(instance: string, { template_id }: Template, tools: Tools): Promise<Connected | ProviderFault> {
  try {
    return tools.pool.quarantined(instance, template_id) ?? (await tools.pool.connect(instance));
  } catch (error) {
    if (isFault(error)) return error;
    const message = isBrokerError(error) ? error.message : `Provider instance '${instance}' cannot connect.`;
    return new ProviderFault('credentials', message, { cause: error });
  }
}

/** What a call for a request may act on: it ends when the claim is lost, or the loop stops. */
export function permitOf(claimed: ClaimedRequest, tools: Tools): Permit {
  return { signal: AbortSignal.any([tools.signal, claimed.signal]), fence: () => claimed.fence(), of: [calledFor(claimed.case.request)] };
}

/** Who is charged with what goes wrong in a call for a request. */
export const calledFor = ({ request_id, template_id }: RequestRecord): CalledFor => ({ request_id, template_id: template_id ?? '' });

/** The order of an attempt as it was frozen, with what was prepared for it. */
export function orderOf(attempt: AttemptRecord, prepared: unknown): LaunchOrder<any, any> {
  return { request_id: attempt.request_id, attempt: attempt.attempt, token: attempt.token, prepared, ...attempt.order };
}
