import type { AttemptOutcome, AttemptRecord } from '../../model/attempt.ts';
import { isTerminal } from '../../model/request.ts';
import { readyTimeoutMs } from '../../reconciler/apply/apply-reports.ts';
import { defaultSettings } from '../../reconciler/settings.ts';
import { isSettled } from '../../reconciler/state/attempt.ts';
import { tally } from '../../reconciler/state/counting.ts';
import { openingMessage } from '../open-request.ts';
import type { Situation, SlotSituation } from './situation.ts';

/** What a request waits for. `until`: when that changes by itself, in epoch milliseconds. */
export type Wait = { readonly until?: number } & (
  | { readonly for: 'release'; readonly count: number }
  | { readonly for: 'slot'; readonly instance: string; readonly slots?: SlotSituation }
  | { readonly for: 'broker'; readonly instance: string }
  | { readonly for: 'search' | 'outcome' | 'answer'; readonly instance: string; readonly attempt: AttemptRecord }
  | {
      readonly for: 'retry';
      readonly instance: string;
      readonly attempt: AttemptRecord;
      readonly outcome: AttemptOutcome;
    }
  | { readonly for: 'machines'; readonly instance: string; readonly count: number }
  | { readonly for: 'readiness'; readonly instances: readonly string[]; readonly count: number }
  | { readonly for: 'capacity' | 'end' }
  | { readonly for: 'order'; readonly instance: string; readonly why?: string }
);

/** What a provisioning request waits for; undefined: for nothing. Pure. */
export function waitOf(from: Situation): Wait | undefined {
  const { request, machines, now } = from;
  const { going, alive } = machines.counts();
  const over = isTerminal(request.status);
  if (over) return going > 0 ? { for: 'release', count: going } : undefined;
  const releases = request.cancel_requested_at !== undefined || request.undone_at !== undefined;
  const order = openOrder(from);
  // An order with an unknown outcome is pursued also when it is no longer needed.
  if (order) return order;
  if (releases && alive > 0) return { for: 'release', count: alive };
  if (releases) return { for: 'end' };
  const until = request.deadline_at;
  if (request.waits_for !== undefined)
    return { for: 'slot', instance: request.waits_for, ...(from.slots ? { slots: from.slots } : {}), until };
  const { missing } = tally(from);
  if (missing > 0 && until > now) return orderToCome(from);
  const arriving = arrivingAt(from);
  if (arriving) return { for: 'machines', ...arriving, until };
  return unready(from) ?? { for: 'end' };
}

/** The open order that delays the request. */
function openOrder(from: Situation): Wait | undefined {
  const open = from.attempts.filter(
    ({ state, handle, settled }) => state === 'open' || (state === 'lost' && handle === undefined && !settled),
  );
  const unserved = open.find(({ provider_instance }) => !from.isServed(provider_instance));
  if (unserved) return { for: 'broker', instance: unserved.provider_instance };
  const attempt = open.toSorted((a, b) => rankOf(b) - rankOf(a))[0];
  if (!attempt) return undefined;
  const { provider_instance: instance, retry_at } = attempt;
  const time = retry_at !== undefined && retry_at > from.now ? { until: retry_at } : {};
  if (attempt.state === 'lost') return { for: 'search', instance, attempt, ...time };
  const outcome = attempt.outcomes?.at(-1);
  if (attempt.doubtful) return { for: 'outcome', instance, attempt, ...time };
  if (attempt.tries > 0 && outcome) return { for: 'retry', instance, attempt, outcome, ...time };
  return { for: 'answer', instance, attempt };
}

/** An unknown outcome delays a request more than a repetition, and a repetition more than the first call. */
const rankOf = ({ state, doubtful, tries }: AttemptRecord): number =>
  state === 'lost' ? 3 : doubtful ? 2 : Number(tries > 0);

function orderToCome(from: Situation): Wait {
  const { request, attempts, tried_again_at, now } = from;
  const instance = request.selected_instance ?? request.provider_instance ?? '';
  if (!from.isServed(instance) && attempts.length === 0)
    return { for: 'broker', instance, until: request.deadline_at };
  if (from.awaited !== undefined) return { for: 'broker', instance: from.awaited };
  if (tried_again_at !== undefined && tried_again_at > now) return { for: 'capacity', until: tried_again_at };
  const { machine_count, template_id, message } = request;
  const isHeld = attempts.length === 0 && message !== openingMessage(machine_count, template_id, instance);
  return { for: 'order', instance, ...(isHeld ? { why: message } : {}), until: request.deadline_at };
}

/** The instance that still starts machines of accepted orders. */
function arrivingAt({ attempts, machines }: Situation): { instance: string; count: number } | undefined {
  const arriving = attempts.filter(
    (each) => each.replaces === undefined && each.state !== 'closed' && !isSettled(each),
  );
  const [first] = arriving;
  if (!first) return undefined;
  const missing = arriving.map(({ attempt, order }) => order.machine_count - machines.counts(attempt).present);
  const count = missing.reduce((sum, each) => sum + Math.max(0, each), 0);
  return count > 0 ? { instance: first.provider_instance, count } : undefined;
}

function unready({ request, attempts, machines }: Situation): Wait | undefined {
  const booting = [...machines.all()].filter(
    ({ gone_at, going, ready_at }) => gone_at === undefined && going === undefined && ready_at === undefined,
  );
  if (booting.length === 0) return undefined;
  const templates = new Map(attempts.map(({ attempt, order }) => [attempt, order.template]));
  const timeoutMs = (attempt: number) => readyTimeoutMs(templates.get(attempt), defaultSettings);
  return {
    for: 'readiness',
    instances: [...new Set(booting.map(({ provider_instance }) => provider_instance))],
    count: booting.length,
    until: Math.min(request.deadline_at, ...booting.map((each) => each.created_at + timeoutMs(each.attempt))),
  };
}
