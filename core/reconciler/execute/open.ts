import { isBrokerError, type BrokerError } from '../../contract/errors.ts';
import { ProviderFault } from '../../contract/fault.ts';
import { attemptToken } from '../../model/ids.ts';
import type { RequestRecord } from '../../model/request.ts';
import { limitOf } from '../../model/template.ts';
import type { AttemptRecord, StoredOrder } from '../../model/attempt.ts';
import { applyLaunchFault } from '../apply/apply-launch.ts';
import type { StateChange } from '../state/request-state.ts';
import { machineTags, nameTag, ownTagsOfOrder, tagsOfOrder } from '../plan/machine-tags.ts';
import { freeNames } from '../state/names.ts';
import type { PlannedOrder } from '../plan/orders/plan-orders.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { connect, defaultAgainMs, longestHoldMs, type Apply, type StepContext } from './step-context.ts';
import { waitsForRoom } from './room-in-budget.ts';

/**
 * Stores the orders before they are sent. An instance without a known identity gets no orders. An instance with the
 * maximum number of open requests gets them later; this is checked in the commit that opens the attempts.
 */
export async function open(
  orders: readonly PlannedOrder[],
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const [first] = orders;
  if (!first) return [];
  if (first.replaces) return openReplacement(first, claimed, context);
  const { provider_instance } = first.option;
  const { state } = claimed;
  const connected = await connect(provider_instance, first.option.template, context);
  // A first connection takes long: a caller may have cancelled the request meanwhile, or machines may have come.
  if (claimed.state !== state && !(connected instanceof ProviderFault)) return [];
  if (connected instanceof ProviderFault && connected.kind !== 'credentials') {
    // A request that cannot use its slot must not block others.
    if (claimed.state.request.waits_for !== undefined) await context.record(claimed, (change) => change.stopWaiting());
    // No order was sent, so the instance may answer later, or another option may serve meanwhile.
    claimed.holdBack(
      `Waiting for '${provider_instance}': ${connected.message}`,
      Math.min(connected.retry_after_ms ?? defaultAgainMs, longestHoldMs),
    );
    return [];
  }
  const identity = connected instanceof ProviderFault ? provider_instance : connected.identity;
  // The instance is not usable: one attempt is stored as closed, so that the next instance is tried.
  if (connected instanceof ProviderFault) return [(change) => add(change, [first], identity, context, connected)];
  const max = connected.instance.limits.max_concurrent_requests;
  if (max === null && context.budgets.all.length === 0) return [(change) => add(change, orders, identity, context)];
  // The condition of a budget is checked in one commit with all orders, and with the request that reserves for them.
  const most = context.budgets.all.length === 0 ? orders.length : Math.min(orders.length, ordersAtOnce(context));
  // Some of the orders may fit where all together do not.
  for (let count = most; ; count = Math.floor(count / 2)) {
    const write: Apply = (change) => add(change, orders.slice(0, count), identity, context);
    try {
      if (max === null) await context.record(claimed, write);
      else await openInTurn(provider_instance, max, claimed, context, write);
      return [];
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'BUDGET_EXCEEDED') throw error;
      if (count > 1) continue;
      if (await waitsForRoom(claimed, context, error)) return [];
      return [(change) => overBudget(change, first, identity, claimed, context, error)];
    }
  }
}

/** How many orders fit into one commit: each has an event; statistics may take half of the rows. */
const ordersAtOnce = ({ settings }: StepContext): number =>
  Math.max(1, Math.floor((settings.rows_per_commit / 2 - 4) / 2));

/**
 * A budget has no room for the order: an attempt is stored as closed, so that the next offer or instance is tried, as
 * after a lack of capacity. A limit on the number of machines concerns all offers of the instance.
 */
function overBudget(
  change: StateChange,
  order: PlannedOrder,
  identity: string,
  claimed: ClaimedRequest,
  context: StepContext,
  { message, details }: BrokerError,
): void {
  const budget = context.budgets.all.find(({ name }) => name === details['budget']);
  const isForAll = details['limit'] === 'max_machines' && budget?.scope.market === undefined;
  const offers = isForAll ? order.option.offers : order.offers;
  const fault = new ProviderFault('capacity', message, { code: 'BUDGET_EXCEEDED', lack: 'terms' });
  context.log.info(
    { request_id: claimed.request_id, provider_instance: order.option.provider_instance, ...details },
    message,
  );
  add(change, [{ ...order, offers }], identity, context, fault);
  context.slots.leave(claimed);
}

/** The wait before replacements are ordered again when the instance or the template has no room for them. */
const noRoomMs = 10_000;

/**
 * Stores the order of replacements. For a time they are machines beyond those of the request: the commit checks that
 * the template may have so many. The request does not wait in the queue for a slot; it asks again.
 */
async function openReplacement(
  order: PlannedOrder,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const { option, machine_count } = order;
  const { provider_instance, template } = option;
  const { state } = claimed;
  const connected = await connect(provider_instance, template, context);
  if (claimed.state !== state && !(connected instanceof ProviderFault)) return [];
  if (connected instanceof ProviderFault && connected.kind !== 'credentials') {
    claimed.holdReplacements(connected.retry_after_ms ?? defaultAgainMs);
    return [];
  }
  if (connected instanceof ProviderFault)
    return [(change) => add(change, [order], provider_instance, context, connected)];
  const { request_id } = claimed;
  const { template_id } = claimed.state.request;
  const max = connected.instance.limits.max_concurrent_requests;
  const limit = limitOf(template);
  try {
    await context.record(claimed, (change) => {
      if (max !== null) change.require({ op: 'slot', provider_instance, request_id, max });
      if (template_id !== null && limit < Infinity)
        change.require({ op: 'limit', template_id, machine_count, max: limit });
      add(change, [order], connected.identity, context);
    });
  } catch (error) {
    const isFull =
      isBrokerError(error) &&
      (error.code === 'INSTANCE_BUSY' || error.code === 'INSTANCE_LIMIT_EXCEEDED' || error.code === 'BUDGET_EXCEEDED');
    if (!isFull) throw error;
    context.log.info({ request_id, provider_instance, code: error.code }, `Replacements wait: ${error.message}`);
    claimed.holdReplacements(noRoomMs);
  }
  return [];
}

async function openInTurn(
  provider_instance: string,
  max: number,
  claimed: ClaimedRequest,
  context: StepContext,
  write: Apply,
): Promise<void> {
  const { request_id } = claimed;
  try {
    if (context.slots.mayAsk(claimed, provider_instance)) {
      await context.record(claimed, (change) => {
        change.require({ op: 'slot', provider_instance, request_id, max });
        write(change);
      });
      context.slots.leave(claimed);
      return;
    }
  } catch (error) {
    if (!isBrokerError(error) || error.code !== 'INSTANCE_BUSY') throw error;
  }
  const why = `Waiting for a slot: '${provider_instance}' has its maximum of ${max} open requests.`;
  // The request joins the queue before the commit, so that no later request asks for the slot meanwhile.
  context.slots.wait(claimed, provider_instance, why);
  await context.record(claimed, (change) => change.setRequest({ waits_for: provider_instance, message: why }));
}

/** The tags by which the use of the machines of an order is summed up, where they have not the usual ones. */
function usageTagsThere(
  order: StoredOrder,
  request: RequestRecord,
  { usageTagging }: StepContext,
  now: number,
): Pick<AttemptRecord, 'usage_tags'> {
  if (!ownTagsOfOrder(order, request)) return {};
  const kept = usageTagging.of(() => tagsOfOrder(order), now);
  if (kept) return { usage_tags: kept };
  return request.usage_tags ? { usage_tags: null } : {};
}

function add(
  change: StateChange,
  orders: readonly PlannedOrder[],
  identity: string,
  context: StepContext,
  refusal?: ProviderFault,
): void {
  const { request, now } = change;
  if (!refusal) change.order();
  const free = request.names ? [...freeNames(change)] : undefined;
  let number = change.attempts.reduce((most, attempt) => Math.max(most, attempt.attempt), 0);
  for (const { option, machine_count: planned, offers, replaces, choice } of orders) {
    const names = free?.splice(0, planned);
    const machine_count = names?.length ?? planned;
    if (machine_count === 0) continue;
    number += 1;
    const { provider_instance, provider_type, api, template } = option;
    const only = names?.length === 1 ? names[0] : undefined;
    const order: StoredOrder = {
      machine_count,
      template,
      ...(offers ? { offers: [...offers] } : {}),
      tags: { ...machineTags(template, request), ...(only === undefined ? {} : { [nameTag]: only }) },
      ...(names ? { names } : {}),
    };
    const attempt: AttemptRecord = {
      request_id: request.request_id,
      attempt: number,
      provider_instance,
      provider_type,
      api,
      identity,
      token: attemptToken(context.installation, request.request_id, number),
      order,
      ...usageTagsThere(order, request, context, now),
      ...(replaces ? { replaces: [...replaces] } : {}),
      state: 'open',
      settled: false,
      disposed: false,
      shortfall: [],
      ...(choice ? { choice } : {}),
      created_at: now,
      ...(request.shifted_ms === undefined ? {} : { shifted_ms: request.shifted_ms }),
      unsent: true,
      doubtful: false,
      tries: 0,
    };
    change.addAttempt(attempt);
    change.journal('attempt.opened', { attempt: number, provider_instance, api, machine_count });
    if (replaces) {
      const machine_ids = replaces.map(({ machine_id }) => machine_id);
      change.journal('machine.replacement_ordered', { attempt: number, provider_instance, machine_ids });
    } else change.setRequest({ provider_instance, provider_type });
    if (refusal) applyLaunchFault(change, attempt, refusal, context.settings);
  }
  if (orders.every(({ replaces }) => replaces === undefined)) change.stopWaiting();
}
