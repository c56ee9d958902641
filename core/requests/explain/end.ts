import type { MachineRecord } from '../../model/machine.ts';
import { hasPlace } from '../../reconciler/state/machine-life.ts';
import { waitingEnd } from '../../reconciler/state/waiting-end.ts';
import { causesOf, reasonsOf } from './causes.ts';
import type { Situation } from './situation.ts';
import { gistOf, listOf, machinesOf, namesOf, were } from './words.ts';

/** Why a request for machines ended as it did, and what happened to its machines since. Pure. */
export function endOf(from: Situation): string {
  const { request } = from;
  const end =
    request.status === 'cancelled' ? cancelled(from) : request.undone_at === undefined ? ended(from) : undone(from);
  return `${end}${since(from)}.`;
}

const deliveredOf = ({ request, machines }: Situation): number =>
  request.fulfilment?.delivered ?? Math.max(request.delivered, machines.counts().delivered);

const causeOf = ({ request, attempts }: Situation): string | undefined =>
  causesOf(request.fulfilment?.shortfall ?? [], attempts);

function cancelled(from: Situation): string {
  const { machine_count, cancel_reason } = from.request;
  const delivered = deliveredOf(from);
  const when =
    delivered === 0
      ? 'before any machine was delivered'
      : `after ${delivered} of ${machinesOf(machine_count)} had been delivered`;
  const reason = cancel_reason === undefined ? '' : ` ("${gistOf(cancel_reason)}")`;
  return `The request was cancelled${reason} ${when}`;
}

function undone(from: Situation): string {
  const { machine_count } = from.request;
  const cause = causeOf(from);
  return `The template accepts all ${machinesOf(machine_count)} or none, and ${deliveredOf(from)} could be delivered; those were released${cause === undefined ? '' : `, because ${cause}`}`;
}

function ended(from: Situation): string {
  const { request, machines } = from;
  const { machine_count } = request;
  const delivered = deliveredOf(from);
  if (delivered >= machine_count) return complete(from);
  const none = machine_count === 1 ? 'The machine was not' : `None of ${machinesOf(machine_count)} was`;
  const ready = delivered === 0 ? none : `${delivered} of ${machinesOf(machine_count)} ${were(delivered)}`;
  const isLate = request.fulfilment?.shortfall.some(({ code }) => code === 'TIMEOUT') === true;
  const { returned } = machines.counts();
  const { seconds, by_caller } = waitingEnd(request);
  const late = by_caller ? `a caller ended the waiting after ${seconds} s` : `the time-out of ${seconds} s`;
  const until = isLate ? ` before ${late}` : '';
  const cause = request.fulfilment?.shortfall.every(({ code }) => code === 'TIMEOUT') ? undefined : causeOf(from);
  const early =
    returned > 0 && !isLate && cause === undefined
      ? `${delivered === 0 ? 'they' : 'the others'} were returned before they were ready`
      : undefined;
  const why = cause ?? early;
  return `${ready} delivered${until}${why === undefined ? '' : `: ${why}`}`;
}

/** Where all machines came from, and what went wrong before. */
function complete(from: Situation): string {
  const { request, attempts, machines } = from;
  const came = [...machines.all()].filter(
    ({ ready_at, replaces }) => ready_at !== undefined && replaces === undefined,
  );
  const instances = [...new Set(came.map(({ provider_instance }) => provider_instance))];
  const cause = causesOf(reasonsOf(attempts), attempts);
  const by = instances.length === 0 ? '' : ` by ${namesOf(instances)}`;
  const offer = cause === undefined ? undefined : offerOf(from, came);
  const all = request.machine_count === 1 ? 'The machine was' : `All ${machinesOf(request.machine_count)} were`;
  return `${all} delivered${by}${offer === undefined ? '' : ` with '${offer}'`}${cause === undefined ? '' : `, after ${cause}`}`;
}

/** The only offer of the orders that brought the machines. */
function offerOf({ attempts }: Situation, came: readonly MachineRecord[]): string | undefined {
  const successful = new Set(came.map(({ attempt }) => attempt));
  const offers = attempts.flatMap(({ attempt, order }) => (successful.has(attempt) ? [order.offers ?? []] : []));
  const keys = [...new Set(offers.flatMap((each) => each.map(({ key }) => key)))];
  return keys.length === 1 ? keys[0] : undefined;
}

/** What happened to delivered machines after the end. */
function since({ request, machines }: Situation): string {
  if (request.status === 'cancelled' || request.undone_at !== undefined) return '';
  const delivered = [...machines.all()].filter(({ ready_at }) => ready_at !== undefined);
  const returned = delivered.filter(
    (each) => each.going === 'returned' && (hasPlace(each) || each.expired_at !== undefined),
  ).length;
  const expired = delivered.filter((each) => each.expired_at !== undefined && each.lost !== true).length;
  const lost = delivered.filter((each) => each.lost === true);
  const reclaimed = lost.filter(({ reclaim_at }) => reclaim_at !== undefined).length;
  const replaced = delivered.filter(({ replaced_by }) => replaced_by !== undefined).length;
  const other = lost.length - reclaimed;
  const reason = lost.find(({ reclaim_at, message }) => reclaim_at === undefined && message !== undefined)?.message;
  const parts = [
    ...(returned > expired ? [`${returned - expired} ${were(returned - expired)} returned`] : []),
    ...(expired > 0 ? [`the lease of ${expired} ended`] : []),
    ...(reclaimed > 0 ? [`the cloud reclaimed ${reclaimed}`] : []),
    ...(other > 0
      ? [`${other} ${were(other)} lost${reason === undefined ? ' outside muster' : ` (${gistOf(reason)})`}`]
      : []),
    ...(replaced > 0 ? [`${replaced} ${were(replaced)} replaced, because the cloud recommended it`] : []),
  ];
  return parts.length === 0 ? '' : `; since then ${listOf(parts)}`;
}
