import type { BudgetRules } from '../../budgets/budgets.ts';
import { isBrokerError } from '../../contract/errors.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { LaunchOrder } from '../../contract/provider/orders-and-reports.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import { presentToken } from '../../model/ids.ts';
import type { Template } from '../../model/template.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { UsageTagging } from '../../model/usage/usage-tags.ts';
import type { CalledFor } from '../../providers/guard/called-for.ts';
import type { CallTrace } from '../../providers/guard/traces/call-span.ts';
import type { Permit } from '../../providers/guard/guarded-calls.ts';
import type { Connected, SessionPool } from '../../providers/guard/session-pool.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import type { SlotQueue } from '../claims/slot-queue.ts';
import type { CallTurns } from './call-turns.ts';
import type { Observer } from './observer.ts';
import type { Cadence } from '../cadence/cadence.ts';
import type { RequestSpans } from '../traces/request-spans.ts';
import type { LeaseEnds } from '../leases/lease-ends.ts';
import type { Owners } from './owners.ts';

/** The result of a step, applied to the state that the request then has. */
export type Apply = (change: StateChange) => void;

export interface StepContext {
  readonly pool: SessionPool;
  readonly observer: Observer;
  readonly cadence: Cadence;
  readonly owners: Owners;
  readonly spans: RequestSpans;
  readonly leaseEnds: LeaseEnds;
  readonly settings: Settings;
  readonly budgets: Pick<BudgetRules, 'all' | 'reservations'>;
  readonly usageTagging: UsageTagging;
  readonly installation: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  monotonic(): number;
  /** A registered API, for its declared properties. Calls go through the connected instance only. */
  api(attempt: { readonly provider_type: string; readonly api: string }): ProviderApi | undefined;
  /** Commits in the middle of a step, for changes that must be durable before the next call. */
  record(claimed: ClaimedRequest, apply: Apply): Promise<void>;
  /** Requests that wait for a free slot at an instance. */
  readonly slots: SlotQueue;
  /** Limits the number of concurrent changing calls at one instance. */
  readonly turns: CallTurns;
  /** Records what `ownReports` found of the reports of an instance. Reports of known machines say nothing of it. */
  noteReportTrouble(instance: string, trouble: string | null | undefined): void;
}

/**
 * The longest wait before it is checked again whether another instance can serve, in milliseconds, also where the
 * provider asks for more.
 */
export const longestHoldMs = 10_000;

/** The wait before the next call when the provider names none, in milliseconds. */
export const defaultAgainMs = 2_000;

/** The session, or the fault that prevents calls to the instance, or calls for requests of the template. */
export async function connect(
  instance: string,
  { template_id }: Template,
  context: StepContext,
): Promise<Connected | ProviderFault> {
  try {
    return context.pool.quarantined(instance, template_id) ?? (await context.pool.connect(instance));
  } catch (error) {
    if (isFault(error)) return error;
    const message = isBrokerError(error) ? error.message : `Provider instance '${instance}' cannot connect.`;
    return new ProviderFault('credentials', message, { cause: error });
  }
}

/**
 * The permission for calls for a request. It ends when the claim is lost or the loop stops. `ids` gets those under
 * which the provider knows the calls. `trace`: their place in traces.
 */
export function permitOf(
  claimed: ClaimedRequest,
  context: StepContext,
  ids: string[],
  trace: CallTrace | null,
): Permit {
  return {
    signal: AbortSignal.any([context.signal, claimed.signal]),
    fence: () => claimed.fence(),
    of: [calledFor(claimed.state.request)],
    cloudRequest: (id) => void ids.push(id),
    trace,
  };
}

/** The request that failures of a call count against. */
export const calledFor = ({ request_id, template_id }: RequestRecord): CalledFor => ({
  request_id,
  template_id: template_id ?? '',
});

/** The frozen order of an attempt, with its prepared parameters. */
export function orderOf(attempt: AttemptRecord, prepared: unknown): LaunchOrder<any, any> {
  return {
    request_id: attempt.request_id,
    attempt: attempt.attempt,
    token: presentToken(attempt),
    prepared,
    ...attempt.order,
  };
}
