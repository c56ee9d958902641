import type { FaultKind } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { gistOf, listOf, machinesOf, were } from './words.ts';

/** The reasons of one kind at one instance. `instance` undefined: the reason concerns the whole request. */
interface Cause {
  readonly instance: string | undefined;
  readonly kind: FaultKind;
  readonly reasons: readonly [Shortfall, ...Shortfall[]];
}

/** The most causes of one sentence. */
const mostCauses = 3;

/**
 * Why machines are missing, as a part of a sentence; undefined when no reason is known. `given`: the reasons of the
 * request; each instance whose orders report one is named. The reasons that cost the most machines come first.
 */
export function causesOf(given: readonly Shortfall[], attempts: readonly AttemptRecord[]): string | undefined {
  const main = given.filter((each) => each.code !== 'TIMEOUT' && !isOfOthers(each));
  const counted = main.length > 0 ? main : given.filter(({ code }) => given.length === 1 || code !== 'TIMEOUT');
  const causes = [...Map.groupBy(blamed(counted, attempts), groupOf).values()].flatMap((group): Cause[] => {
    const [first, ...more] = group;
    if (!first) return [];
    const { instance, reason } = first;
    return [{ instance, kind: reason.kind, reasons: [reason, ...more.map((each) => each.reason)] }];
  });
  const sorted = causes.toSorted((x, y) => costOf(y) - costOf(x));
  const clauses = [...new Set(sorted.slice(0, mostCauses).map(clauseOf))];
  return clauses.length === 0 ? undefined : listOf(clauses);
}

/** A reason, and the instance whose order reports it. */
interface Blamed {
  readonly instance: string | undefined;
  readonly reason: Shortfall;
}

/** The reasons once for each instance that reports them. */
function blamed(given: readonly Shortfall[], attempts: readonly AttemptRecord[]): readonly Blamed[] {
  const reported = new Map<string, Blamed[]>();
  const seen = new Set<string>();
  for (const { provider_instance: instance, shortfall, replaces } of attempts)
    for (const reason of replaces === undefined ? shortfall : []) {
      const key = keyOf(reason);
      if (seen.has(`${instance} ${key}`)) continue;
      seen.add(`${instance} ${key}`);
      reported.set(key, [...(reported.get(key) ?? []), { instance, reason }]);
    }
  return given.flatMap((reason) => reported.get(keyOf(reason)) ?? [{ instance: undefined, reason }]);
}

const groupOf = ({ instance, reason: { kind, code } }: Blamed): string =>
  `${instance} ${kind} ${own.has(code) ? code : ''}`;

/** Why an instance did not do what a call asked for, as a part of a sentence. */
export const causeAt = (instance: string, answer: Shortfall): string =>
  clauseOf({ instance, kind: answer.kind, reasons: [answer] });

/** The reasons that the attempts of a request report, each once. */
export const reasonsOf = (attempts: readonly AttemptRecord[]): readonly Shortfall[] => [
  ...new Map(
    attempts.flatMap(({ replaces, shortfall }) =>
      replaces === undefined ? shortfall.map((each) => [keyOf(each), each] as const) : [],
    ),
  ).values(),
];

const keyOf = ({ offer, kind, code }: Shortfall): string => `${offer}|${kind}|${code}`;

/** The lack of capacity was reported to another request: only this keeps an offer from being ordered. */
const isOfOthers = ({ message }: Shortfall): boolean => message.startsWith('Not retried yet: ');

const costOf = ({ reasons }: Cause): number => reasons.reduce((sum, { count = 0 }) => sum + count, 0);

/** Codes of muster itself that have a clause of their own. */
const own: ReadonlyMap<string, (whose: string, reason: Shortfall) => string> = new Map([
  ['TIMEOUT', (_, { message }) => lower(gistOf(message))],
  ['NO_PROVIDER', (_, { message }) => lower(gistOf(message))],
  [
    'MACHINE_FAILED',
    (_, { count = 0, message }) =>
      `${count > 0 ? machinesOf(count) : 'machines'} started and ${were(count)} not usable in time (${lower(gistOf(message))})`,
  ],
  ['NO_ANSWER', (whose) => `${whose} did not answer for half a minute`],
  ['QUARANTINED', (whose) => `the plugin of ${whose} is in quarantine, because it blocked the broker`],
  ['STOPPED_THREAD', (whose) => `the plugin of ${whose} blocked the broker twice with this request`],
  ['PLUGIN_ERROR', (whose) => `the plugin of ${whose} broke its contract`],
  ['PREPARATION_FAILED', (whose) => `the plugin of ${whose} could not prepare the order`],
]);

function clauseOf({ instance, kind, reasons }: Cause): string {
  const [first] = reasons;
  const whose = instance === undefined ? 'the provider' : `'${instance}'`;
  const special = own.get(first.code);
  if (special) return special(whose, first);
  const codes = [...new Set(reasons.map(({ code }) => code))];
  const coded = `(${codes.slice(0, 3).join(', ')})`;
  switch (kind) {
    case 'capacity':
      return capacityClause(whose, reasons, coded);
    case 'quota':
      return `the account of ${whose} has reached a limit ${coded}`;
    case 'credentials':
      return `the credentials of ${whose} were refused ${coded}`;
    case 'throttled':
      return `${whose} throttles the account ${coded}`;
    case 'unavailable':
      return `${whose} did not carry out the order ${coded}: ${gistOf(first.message)}`;
    case 'unknown-outcome':
      return `the answer of ${whose} was lost ${coded}`;
    case 'gone':
      return `something that the order needs no longer exists at ${whose} ${coded}`;
    case 'invalid':
      if (first.lack === 'denied') return `the identity of ${whose} may not start these machines ${coded}`;
      return `${whose} refused the order ${coded}: ${gistOf(first.message)}`;
  }
}

function capacityClause(whose: string, reasons: readonly [Shortfall, ...Shortfall[]], coded: string): string {
  const offers = [...new Set(reasons.flatMap(({ offer }) => offer ?? []))];
  const [only] = offers;
  if (reasons.every(isOfOthers))
    return `${offers.length === 1 ? `'${only}'` : `${offers.length} offers`} lacked capacity for another request moments before ${coded}`;
  if (reasons.every(({ lack }) => lack === 'terms'))
    return `${whose} has no machines on the terms of the template ${coded}`;
  if (offers.length === 1) return `${whose} had no capacity for '${only}' ${coded}`;
  return offers.length > 1
    ? `${whose} had no capacity for any of ${offers.length} offers ${coded}`
    : `${whose} had no capacity ${coded}`;
}

const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
