import { isFault, ProviderFault, type FaultKind } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Launch } from '../../contract/provider/orders-and-reports.ts';
import type { GuardedApi } from '../../providers/guard/guarded-api.ts';
import type { Permit } from '../../providers/guard/guarded-calls.ts';
import { applyLaunch, applyLaunchFault } from '../apply/apply-launch.ts';
import { applyReports } from '../apply/apply-reports.ts';
import { accepted, answered, prepared, sent } from '../state/attempt.ts';
import { withCloudRequests } from '../state/outcomes.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { isNeedless } from '../plan/pending-releases.ts';
import { isEnding } from '../state/machine-life.ts';
import { inSlices } from './slices.ts';
import { connect, orderOf, permitOf, type Apply, type StepContext } from './step-context.ts';

/**
 * The rows of one machine in a commit: its record and its events. When the machines do not fit into one commit, the
 * handle is stored first: a machine without a stored handle could never be released if the order cannot be repeated
 * after a crash.
 */
const rowsOfMachine = 5;

/** Sends an order: for the first time, or again with the same token after an unknown outcome. */
export async function launch(
  attempt: AttemptRecord,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, context);
  const ids: string[] = [];
  const permit = permitOf(claimed, context, ids, context.spans.ofAttempt(claimed.state.request, attempt));
  if (connected instanceof ProviderFault)
    return failed(attempt, { fault: heldBack(connected), ms: undefined, ids }, claimed, context);
  const api = connected.api(attempt.api);
  if (!api) return [];
  let called: number | undefined;
  const took = () => (called === undefined ? undefined : Math.round(context.monotonic() - called));
  try {
    const { value, fresh } = await prepare(attempt, api, permit);
    const present = claimed.state.attempts.find((each) => each.attempt === attempt.attempt) ?? attempt;
    // Callers may have cancelled the request or returned machines while the order waited and was prepared. What was
    // prepared is stored, so that it is removed.
    if (present.unsent && isNeedless(present, claimed.state, claimed.now()))
      return fresh ? [(change) => change.moveAttempt(attempt.attempt, (each) => prepared(each, value))] : [];
    if (present.unsent || fresh) {
      await context.record(claimed, (change) =>
        change.moveAttempt(attempt.attempt, (each) => sent(fresh ? prepared(each, value) : each, change.now)),
      );
    }
    const order = orderOf(attempt, value);
    called = context.monotonic();
    const answer = await api.launch(order, permit);
    logSurplus(answer, attempt, api, context.log);
    const { machines, trouble } = await context.owners.ownReports(
      attempt,
      claimed.state.machines,
      answer.machines ?? [],
    );
    context.noteReportTrouble(attempt.provider_instance, trouble);
    // The answer counts as an observation; the next one waits for those of other requests.
    claimed.observed_at.set(attempt.attempt, context.monotonic());
    claimed.asked_at.set(attempt.attempt, context.monotonic());
    claimed.unanswered_since.delete(attempt.attempt);
    const ms = took();
    if (machines.length * rowsOfMachine > context.settings.rows_per_commit)
      await context.record(claimed, (change) =>
        change.moveAttempt(attempt.attempt, (each) => accepted(each, answer.handle)),
      );
    return inSlices(
      machines,
      (change, slice) => applyReports(change, change.attempt(attempt.attempt) ?? attempt, slice),
      (change) => {
        change.moveAttempt(attempt.attempt, (each) => withCloudRequests(answered(each, ms), ids));
        applyLaunch(change, attempt, answer);
        if (machines.length > 0) change.observed();
      },
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    return failed(attempt, { fault: error, ms: took(), ids }, claimed, context);
  }
}

/** Kinds that a person must fix. The end of the request reports the others. */
const forPeople: ReadonlySet<FaultKind> = new Set(['credentials', 'invalid', 'quota']);

/** How a launch failed: the fault, the duration of the call, and the ids under which the provider knows the calls. */
interface Failure {
  readonly fault: ProviderFault;
  readonly ms: number | undefined;
  readonly ids: readonly string[];
}

function failed(
  attempt: AttemptRecord,
  { fault, ms, ids }: Failure,
  claimed: ClaimedRequest,
  context: StepContext,
): readonly Apply[] {
  if (fault.kind !== 'unavailable') claimed.unanswered_since.delete(attempt.attempt);
  else if (!claimed.unanswered_since.has(attempt.attempt))
    claimed.unanswered_since.set(attempt.attempt, context.monotonic());
  const { request_id, provider_instance } = attempt;
  const { kind, code } = fault;
  const level = forPeople.has(kind) ? 'warn' : 'debug';
  context.log[level](
    { request_id, attempt: attempt.attempt, provider_instance, kind, code },
    `A launch failed: ${fault.message}`,
  );
  return [
    (change) => {
      change.moveAttempt(attempt.attempt, (each) => withCloudRequests(answered(each, ms), ids));
      applyLaunchFault(change, change.attempt(attempt.attempt) ?? attempt, fault, context.settings);
    },
  ];
}

/**
 * More machines than ordered break the contract, but the answer is used, because living machines must stay tracked.
 * Surplus machines are released like all others.
 */
function logSurplus(launch: Launch, attempt: AttemptRecord, { where, plugin }: GuardedApi, log: Log): void {
  const ordered = attempt.order.machine_count;
  const arrived = (launch.machines ?? []).filter(({ status }) => !isEnding(status)).length;
  if (arrived <= ordered) return;
  const culprit = plugin === undefined ? 'the plugin' : `plugin '${plugin}'`;
  const about = { request_id: attempt.request_id, attempt: attempt.attempt };
  log.error(
    about,
    `The launch at ${where} returned ${arrived} machines for an order of ${ordered}. This is a bug of ${culprit}. The surplus machines are released.`,
  );
}

/** The exact parameters of the launch: made once for an attempt, then read from the store. */
async function prepare(attempt: AttemptRecord, api: GuardedApi, permit: Permit) {
  if (!api.prepare || attempt.prepared) return { value: attempt.prepared?.value, fresh: false };
  try {
    return { value: await api.prepare(orderOf(attempt, undefined), permit), fresh: true };
  } catch (error) {
    // A preparation starts no machine and is idempotent, so a lost answer only needs a repetition.
    if (isFault(error) && error.kind === 'unknown-outcome') {
      const details = error.code === 'PLUGIN_ERROR' ? { code: 'PREPARATION_FAILED' } : { code: error.code };
      throw new ProviderFault('unavailable', error.message, { ...details, cause: error });
    }
    throw error;
  }
}

/** A missing session does not close an open attempt, which may have been sent. */
const heldBack = (fault: ProviderFault): ProviderFault =>
  new ProviderFault('unavailable', fault.message, { code: fault.code, cause: fault });
