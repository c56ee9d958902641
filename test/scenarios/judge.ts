import { isStaying } from '../../core/reconciler/state/machine-life.ts';
import { isTerminal, requestStatuses } from '../../core/model/request.ts';
import { diedUnasked, readied, wasTaken, type Outcome } from './outcome.ts';

const attemptTag = 'muster:attempt';

type Rule = (outcome: Outcome) => readonly string[];

/** What is wrong with how a cell came out; nothing while it is as it must be. */
export const judge = (outcome: Outcome): readonly string[] =>
  [...rules, outcome.cell.story.judge ?? (() => [])].flatMap((rule) => rule(outcome));

const when = (wrong: boolean, finding: string): readonly string[] => (wrong ? [finding] : []);
const listed = (ids: readonly string[]): string => ids.toSorted().join(' ') || 'none';

/** Neither a machine too many nor one too few: the cloud has what the broker calls running. */
const agrees: Rule = ({ live, told, machines }) => {
  const staying = machines.filter(isStaying).map(({ machine_id }) => machine_id);
  const running = told['running'] ?? [];
  return [
    ...when(listed(running) !== listed(live), `told as running: ${listed(running)}; in the cloud: ${listed(live)}`),
    ...when(listed(staying) !== listed(live), `kept: ${listed(staying)}; in the cloud: ${listed(live)}`),
    ...when((told['pending'] ?? []).length > 0, `told as pending: ${listed(told['pending'] ?? [])}`),
  ];
};

/** It ends, once, and never goes back. */
const endsOnce: Rule = ({ request, history }) => {
  const ranks = history.map((status) =>
    isTerminal(status as typeof request.status) ? 2 : requestStatuses.indexOf(status as 'pending'),
  );
  const back = ranks.some((rank, i) => i > 0 && rank <= (ranks[i - 1] as number));
  return [
    ...when(!isTerminal(request.status), `it is ${request.status}: ${request.message}`),
    ...when(back, `its status went ${history.join(', ')}`),
  ];
};

/**
 * No more machines are started than were asked for, but for those that stand in for others: of one that failed or was
 * taken away another is ordered. A fleet or group that keeps its size replaces what is taken away by itself; what it
 * started unseen, while the broker ordered one as well, is one more for each that was taken from it, and no more than
 * that.
 */
const startsNoMore: Rule = ({ cell, attempts, started, request, machines }) => {
  const failed = machines.filter(({ going }) => going === 'failed').length;
  const taken = started.filter(wasTaken).length;
  const due = request.machine_count + failed + taken + (keepsSize(cell) ? taken : 0);
  return [
    ...when(
      started.length > due,
      `${started.length} machines were started for ${request.machine_count}, and ${taken} were taken away`,
    ),
    ...attempts.flatMap(({ attempt, order }) => {
      const own = started.filter((each) => each.tags.get(attemptTag) === String(attempt) && !wasTaken(each));
      return when(
        own.length > order.machine_count,
        `attempt ${attempt} started ${own.length} machines and asked for ${order.machine_count}`,
      );
    }),
  ];
};

const keepsSize = ({ way: { api, fleet_type } }: Outcome['cell']): boolean =>
  api !== 'RunInstances' && fleet_type !== 'instant';

/** Only what was wanted gone was ended, whoever ended it; or what came unseen to an order that was stopped. */
const endsNoOther: Rule = ({ started, machines, attempts }) => {
  const known = new Map(machines.map((machine) => [machine.machine_id, machine]));
  const stopped = new Set(
    attempts.filter(({ incoming, state }) => incoming === 0 || state === 'lost').map(({ attempt }) => String(attempt)),
  );
  return started.flatMap((each) => {
    if (each.shutdownAt === undefined || diedUnasked(each)) return [];
    const machine = known.get(each.id);
    if (machine)
      return when(
        machine.going === undefined,
        `${each.id} was ended (${each.reason?.code}), and nobody wanted it gone`,
      );
    return when(
      !stopped.has(each.tags.get(attemptTag) ?? ''),
      `${each.id} was ended (${each.reason?.code}), and nobody knew it`,
    );
  });
};

/** What it says of itself is so. */
const saysWhy: Rule = (outcome) => {
  const { request } = outcome;
  const { status, machine_count, delivered, fulfilment, cancel_requested_at } = request;
  if (!isTerminal(status)) return [];
  const ready = readied(outcome).length;
  const due = cancel_requested_at !== undefined ? 'cancelled' : delivered === 0 ? 'failed' : 'completed';
  const reasons = (fulfilment?.shortfall ?? []).filter(({ message, code }) => message !== '' && code !== '');
  const cancelled = status === 'cancelled';
  return [
    ...when(delivered !== ready, `${ready} machines became ready, and it says ${delivered}`),
    ...when(
      fulfilment?.delivered !== delivered,
      `it delivered ${delivered}, and its fulfilment says ${fulfilment?.delivered}`,
    ),
    ...when(status !== due, `it is ${status}, with ${delivered} machines delivered`),
    ...when(
      delivered < machine_count && reasons.length === 0 && !cancelled,
      `${delivered} of ${machine_count}, and it does not say why`,
    ),
  ];
};

/** It has what it could have; a machine that never came up held a place. */
const hasItsDue: Rule = (outcome) => {
  const { cell, setting, request, places, started, machines } = outcome;
  if (!isTerminal(request.status)) return [];
  const ready = readied(outcome).length;
  const failed = machines.filter(({ going }) => going === 'failed').length;
  const least = setting.whole ? (cell.story.least?.(outcome) ?? Math.min(request.machine_count, places - failed)) : 0;
  const replaced = failed > 0 || started.some(wasTaken);
  const most = replaced ? Infinity : Math.min(request.machine_count, setting.lasting ? places : Infinity);
  return [
    ...when(ready < least, `${ready} machines became ready, and ${least} could have: ${request.message}`),
    ...when(ready > most, `${ready} machines became ready, and there are places for ${most}`),
  ];
};

/** Without machines nothing is kept for it: no fleet, no group, no launch template. */
const leavesNothing: Rule = ({ request, live, attempts, ledger }) => {
  if (!isTerminal(request.status) || live.length > 0) return [];
  const mine = JSON.stringify(attempts.map(({ handle, prepared }) => [handle, prepared]));
  const left = [...ledger.fleets, ...ledger.spot_fleets, ...ledger.groups, ...ledger.templates].filter((id) =>
    mine.includes(`"${id}"`),
  );
  return when(left.length > 0, `left behind: ${listed(left)}`);
};

const rules: readonly Rule[] = [agrees, endsOnce, startsNoMore, endsNoOther, saysWhy, hasItsDue, leavesNothing];
