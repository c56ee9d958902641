import type { AttemptRecord, OrderCandidate, OrderChoice } from '../../../model/attempt.ts';
import type { RequestState } from '../../state/request-state.ts';
import type { FallbackOrder } from './fallback-order.ts';
import type { PlannedOrder } from './plan-orders.ts';
import type { ProviderOption } from './provider-option.ts';
import { attemptsAt, isRuledOut } from './standing.ts';

/** The most instances that a choice describes. */
const mostCandidates = 20;

/**
 * Why an order goes to its instance. Undefined when the attempts and the request say it already: the first order at
 * the selected instance, and a further order for the same reason. Pure.
 */
export function orderChoice(
  from: RequestState,
  { options, out }: Pick<FallbackOrder, 'options' | 'out'>,
  { option }: Pick<PlannedOrder, 'option'>,
): OrderChoice | undefined {
  const { request, attempts } = from;
  const mine = attempts.filter(({ replaces }) => replaces === undefined);
  const last = mine.at(-1);
  if (!last && option.provider_instance === request.selected_instance) return undefined;
  const others = options.filter(({ provider_instance }) => provider_instance !== option.provider_instance);
  const candidates = [
    ...others.map((each) => candidateOf(from, each)),
    ...out.map(({ name, reason }) => ({ provider_instance: name, eligible: false, reasons: [reason] })),
  ].slice(0, mostCandidates);
  const choice = { reason: reasonOf(from, option, last), candidates };
  const before = mine.findLast((each) => each.choice !== undefined)?.choice;
  const isSame =
    last?.provider_instance === option.provider_instance && JSON.stringify(before) === JSON.stringify(choice);
  return isSame ? undefined : choice;
}

function reasonOf(
  { request }: RequestState,
  { provider_instance: name }: ProviderOption,
  last: AttemptRecord | undefined,
): string {
  if (!last) return `'${request.selected_instance ?? ''}', which was selected first, cannot serve now`;
  const code = codeOf(last);
  if (last.provider_instance === name)
    return `it is asked for what is missing${code === undefined ? '' : `, after its last order got ${code}`}`;
  return code === undefined
    ? `machines are missing, and '${name}' comes first now`
    : `'${last.provider_instance}' answered ${code}`;
}

function candidateOf(from: RequestState, option: ProviderOption): OrderCandidate {
  const { provider_instance, unhealthy, offers, shortfalls } = option;
  const tried = attemptsAt(from, option);
  const code = tried.map(codeOf).findLast((each) => each !== undefined);
  const isShort = offers !== undefined && offers.length > 0 && shortfalls.size >= offers.length;
  return {
    provider_instance,
    eligible: !isRuledOut(option, tried),
    reasons: [
      ...(code === undefined ? [] : [`it answered ${code}`]),
      ...(isShort ? ['every offer lacked capacity lately'] : []),
      ...(unhealthy ? ['it does not answer'] : []),
    ],
  };
}

/** The code of the reason for most of the missing machines. */
const codeOf = ({ shortfall }: AttemptRecord): string | undefined =>
  shortfall.toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0))[0]?.code;
