import type { AttemptOutcome } from '../../model/attempt.ts';
import { isTerminal } from '../../model/request.ts';
import { targetOf } from '../../reconciler/state/counting.ts';
import { lasts } from '../../reconciler/state/outcomes.ts';
import { causeAt, causesOf, reasonsOf } from './causes.ts';
import { endOf } from './end.ts';
import type { Situation } from './situation.ts';
import { waitOf, type Wait } from './wait.ts';
import { gistOf, machinesOf, namesOf, were } from './words.ts';

/** Why a request for machines is in its present state: one sentence for people. Pure. */
export function because(from: Situation): string {
  if (isTerminal(from.request.status)) return endOf(from);
  const wait = waitOf(from);
  return `${capital(wait === undefined ? 'the request ends now' : sentenceOf(wait, from))}.`;
}

function sentenceOf(wait: Wait, from: Situation): string {
  const { request, attempts, machines } = from;
  const cancelled = request.cancel_requested_at !== undefined;
  switch (wait.for) {
    case 'release':
      return releaseSentence(wait.count, from);
    case 'slot':
      return slotSentence(wait);
    case 'broker':
      return from.isServed(wait.instance)
        ? `a broker that has '${wait.instance}' in its configuration cannot take the request over yet; the request waits for it`
        : `the request waits for a broker that has '${wait.instance}' in its configuration; no live broker has it`;
    case 'search':
      return `${cancelled ? 'the request is cancelled, but ' : ''}it is not known what '${wait.instance}' started for an order of ${machinesOf(countOf(wait))}, and the order cannot be repeated: its machines are searched by their tags, and released if they appear`;
    case 'outcome':
      return `${cancelled ? 'the request is cancelled; ' : ''}${lostAt(wait)}, and what it started for an order of ${machinesOf(countOf(wait))} is found out ${cancelled ? 'and released' : 'before anything else is ordered'}`;
    case 'answer':
      return cancelled
        ? `the request is cancelled, and waits for the answer of '${wait.instance}' to an order of ${machinesOf(countOf(wait))} that may have been sent`
        : wait.attempt.unsent
          ? `an order of ${machinesOf(countOf(wait))} is being sent to '${wait.instance}'${after(from)}`
          : `an order of ${machinesOf(countOf(wait))} went to '${wait.instance}', which has not answered yet${after(from)}`;
    case 'retry':
      return `${causeAt(wait.instance, wait.outcome)}${times(wait.outcome.count)}; the same order of ${machinesOf(countOf(wait))} is sent again`;
    case 'capacity':
      return `${causesOf(reasonsOf(attempts), attempts) ?? 'no offer had capacity'}; the offers are tried again until the time-out`;
    case 'machines':
      return `'${wait.instance}' accepted the order and has not started ${machinesOf(wait.count)} yet${why(from)}`;
    case 'readiness': {
      const { ready } = machines.counts();
      const waits = `${wait.count} of ${machinesOf(targetOf(from))} at ${namesOf(wait.instances)} ${were(wait.count)} started and ${wait.count === 1 ? 'is' : 'are'} not ready yet`;
      return `${waits}${ready > 0 ? `; ${ready} ${ready === 1 ? 'is' : 'are'} ready` : ''}${unanswered(wait.instances, from)}${early(from)}${lost(from)}${after(from)}`;
    }
    case 'order':
      if (wait.why !== undefined) return gistOf(wait.why);
      return attempts.length === 0
        ? `the request was accepted, and its ${machinesOf(request.machine_count)} will be ordered at '${wait.instance}'`
        : `the next order follows${lost(from)}${after(from)}`;
    case 'end':
      return cancelled ? 'the request is cancelled, and ends now' : 'the request ends now';
  }
}

const countOf = ({ attempt }: Extract<Wait, { attempt: unknown }>): number => attempt.order.machine_count;

function releaseSentence(count: number, { request, attempts, machines }: Situation): string {
  const waits = `${machinesOf(count)} ${were(count)} not released completely yet`;
  const refusal = attempts
    .flatMap(({ provider_instance, outcomes = [] }) => outcomes.map((outcome) => ({ provider_instance, outcome })))
    .findLast(({ outcome }) => outcome.at >= (request.cancel_requested_at ?? request.undone_at ?? Infinity));
  const refused = refusal ? `; ${causeAt(refusal.provider_instance, refusal.outcome)}` : '';
  if (request.cancel_requested_at !== undefined) {
    const { delivered } = machines.counts();
    const had = delivered === 0 ? '' : ` after ${delivered} of ${request.machine_count} had been delivered`;
    return `the request was cancelled${had}, and ${waits}${refused}`;
  }
  const cause = causesOf(reasonsOf(attempts), attempts);
  return `the template accepts all ${machinesOf(request.machine_count)} or none${cause === undefined ? '' : `, and ${cause}`}: ${waits}${refused}`;
}

function slotSentence({ instance, slots }: Extract<Wait, { for: 'slot' }>): string {
  if (!slots) return `the request waits for a slot at '${instance}'`;
  const { max, ahead, ahead_count } = slots;
  const others = ahead_count - ahead.length;
  const who = `${ahead.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
  const first = ahead_count === 0 ? 'it gets the next one' : `${who} ${ahead_count === 1 ? 'comes' : 'come'} first`;
  return `the request waits for a slot at '${instance}', which may have ${max} open ${max === 1 ? 'request' : 'requests'}; ${first}`;
}

/** The lost answer, and why the repetition of its call does not help yet. */
function lostAt({ instance, attempt }: Extract<Wait, { attempt: unknown }>): string {
  const outcomes = attempt.outcomes ?? [];
  const lost = outcomes.findLast(({ kind }) => kind === 'unknown-outcome');
  const first = lost ? causeAt(instance, lost) : `it is not known whether '${instance}' got the order`;
  const last = outcomes.at(-1);
  return last === undefined || last === lost ? first : `${first}, its repetition has no success (${last.code})`;
}

const times = (count = 1): string => (count > 1 ? `, ${count} times so far` : '');

/** Why an earlier order did not bring all machines. */
function after({ attempts }: Situation): string {
  const cause = causesOf(reasonsOf(attempts), attempts);
  return cause === undefined ? '' : `, after ${cause}`;
}

/** Why an accepted order has not brought all machines yet. */
function why({ attempts }: Situation): string {
  const cause = causesOf(reasonsOf(attempts), attempts);
  return cause === undefined ? '' : `: ${cause}`;
}

function early({ request, machines }: Situation): string {
  const { returned } = machines.counts();
  return returned === 0 ? '' : `; ${returned} of ${request.machine_count} ${were(returned)} returned early`;
}

/** The machines that ended without a release before the request did: why it takes longer than its machines do. */
function lost({ machines }: Situation): string {
  const { lost: count } = machines.counts();
  return count === 0 ? '' : `; ${count} ${were(count)} lost before`;
}

function unanswered(instances: readonly string[], from: Situation): string {
  return instances
    .flatMap((instance) => {
      const trouble = from.trouble(instance);
      if (trouble !== undefined) return `; '${instance}' is unhealthy now: ${gistOf(trouble)}`;
      const refusal = refusedAbout(instance, from);
      return refusal === undefined ? [] : `; '${instance}' refused a call about them (${refusal.code})`;
    })
    .join('');
}

/** Why the provider did not accept a call about machines that it started, when that was later than its last report. */
function refusedAbout(instance: string, { request, attempts }: Situation): AttemptOutcome | undefined {
  return attempts
    .flatMap(({ provider_instance, state, outcomes = [], shortfall }) =>
      provider_instance !== instance || state !== 'launched'
        ? []
        : outcomes.filter(({ kind, code }) => lasts(kind) && shortfall.every((each) => each.code !== code)),
    )
    .findLast(({ at }) => at > (request.observed_at ?? 0));
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
