import { BrokerError, type Code } from '../contract/errors.ts';
import { hint } from '../schema/spelling.ts';
import type { Candidate, Rejection, Selection, SelectionQuery } from './candidate.ts';
import { splitByEligibility, unfitness } from './eligibility.ts';
import { policies, type Policy } from './policies.ts';
import { unknownProvider } from './unknown-provider.ts';

/** The codes with which a selection, and the review of the selected template, refuse. */
export const selectionRefusals = [
  'PROVIDER_NOT_FOUND',
  'PROVIDER_DISABLED',
  'NO_ENABLED_PROVIDERS',
  'PROVIDER_TYPE_MISMATCH',
  'API_NOT_SUPPORTED',
  'INSTANCE_LIMIT_EXCEEDED',
  'TEMPLATE_INVALID',
] as const satisfies readonly Code[];

export interface Ranking {
  readonly policy: Policy;
  /** Eligible instances, best first. Instances that lacked capacity recently come after all others. */
  readonly eligible: readonly Candidate[];
  /** Instances that would be eligible if their API honored the template. */
  readonly unfit: readonly Candidate[];
  /** Why the other instances are rejected. */
  readonly rejected: readonly Rejection[];
}

/**
 * Ranks all instances in the order in which they would serve a request. Pure: the same query and candidates give the
 * same result in every process.
 */
export function rank(query: SelectionQuery, candidates: readonly Candidate[]): Ranking {
  const policy = policies.find((each) => (query.strategy ? each.strategy === query.strategy : each.applies(query)));
  if (!policy) throw new BrokerError('INVALID_REQUEST', `The selection strategy '${query.strategy}' does not exist.`);
  const named =
    policy.strategy === 'explicit' ? candidates.filter(({ name }) => name === query.provider_instance) : candidates;
  const { eligible, unfit, rejected } = splitByEligibility(query, policy.strategy, named);
  const { provider_instance: name } = query;
  if (policy.strategy === 'explicit' && name !== undefined && named.length === 0)
    return {
      policy,
      eligible,
      unfit,
      rejected: [{ name, code: 'PROVIDER_NOT_FOUND', reason: 'it is not in the configuration' }],
    };
  const ranked = policy.rank(query, eligible);
  return {
    policy,
    eligible: ranked.some(isWithoutCapacity)
      ? [...ranked.filter((each) => !isWithoutCapacity(each)), ...ranked.filter(isWithoutCapacity)]
      : ranked,
    unfit: policy.rank(query, unfit),
    rejected,
  };
}

/**
 * Selects the provider instance for a request. Pure, as `rank`. An instance whose API cannot honor the template is
 * selected only when no other instance is eligible. Throws PROVIDER_NOT_FOUND, PROVIDER_DISABLED,
 * PROVIDER_TYPE_MISMATCH, API_NOT_SUPPORTED, INSTANCE_LIMIT_EXCEEDED or NO_ENABLED_PROVIDERS, or INVALID_REQUEST when
 * a criterion of the strategy is missing.
 */
export function select(query: SelectionQuery, candidates: readonly Candidate[]): Selection {
  const { policy, ...ranking } = rank(query, candidates);
  if (policy.strategy === 'explicit') requireNamed(query, candidates);
  requireType(query, candidates);
  const eligible = ranking.eligible.length > 0 ? ranking.eligible : ranking.unfit;
  const [winner, ...runnersUp] = eligible;
  if (!winner) throw refusal(query, candidates, ranking.rejected);
  const weight = eligible.reduce((sum, candidate) => sum + candidate.weight, 0);
  return {
    strategy: policy.strategy,
    provider_type: winner.type,
    provider_instance: winner.name,
    selection_reason: `${policy.reason(query, winner, eligible)}${passedOver(winner, eligible)}`,
    confidence: eligible.length === 1 || weight === 0 ? 1 : Math.round((winner.weight / weight) * 1000) / 1000,
    alternatives: runnersUp.map(({ name }) => name),
    rejected:
      eligible === ranking.eligible ? [...ranking.rejected, ...ranking.unfit.map(unfitness)] : ranking.rejected,
  };
}

const isWithoutCapacity = ({ without_capacity }: Candidate): boolean => without_capacity !== undefined;

function passedOver(winner: Candidate, eligible: readonly Candidate[]): string {
  if (isWithoutCapacity(winner) || !eligible.some(isWithoutCapacity)) return '';
  const names = eligible.filter(isWithoutCapacity).map(({ name }) => `'${name}'`);
  return `; ranked lower for a recent lack of capacity: ${names.join(', ')}`;
}

function requireNamed(query: SelectionQuery, candidates: readonly Candidate[]): void {
  const name = query.provider_instance;
  if (name === undefined) {
    throw new BrokerError(
      'INVALID_REQUEST',
      'Explicit selection needs the name of a provider instance, in the body or in the template.',
    );
  }
  if (candidates.some((candidate) => candidate.name === name)) return;
  const known = candidates.map((candidate) => candidate.name);
  throw unknownProvider(name, known);
}

function requireType(query: SelectionQuery, candidates: readonly Candidate[]): void {
  const type = query.provider_type;
  if (type === undefined || candidates.length === 0 || candidates.some((candidate) => candidate.type === type)) return;
  const known = [...new Set(candidates.map((candidate) => candidate.type))];
  throw new BrokerError('PROVIDER_TYPE_MISMATCH', `No provider instance is of type '${type}'${hint(type, known)}`, {
    requested_provider: type,
    available_providers: known,
    suggestion: 'Name a provider type that is configured.',
  });
}

/** The most specific error: what must change for the instance that is closest to being eligible. */
function refusal(
  query: SelectionQuery,
  candidates: readonly Candidate[],
  rejected: readonly Rejection[],
): BrokerError {
  const why = rejected.map(({ name, reason }) => `'${name}': ${reason}`).join('; ');
  const details = {
    rejected,
    available_providers: candidates.filter(({ enabled }) => enabled).map(({ name }) => name),
  };
  const has = (code: Rejection['code']) => rejected.some((rejection) => rejection.code === code);
  if (query.provider_instance !== undefined && has('PROVIDER_DISABLED')) {
    return new BrokerError('PROVIDER_DISABLED', `Provider instance '${query.provider_instance}' is disabled.`, {
      ...details,
      requested_provider: query.provider_instance,
      suggestion: 'Enable it or choose another instance.',
    });
  }
  if (has('PROVIDER_UNHEALTHY'))
    return new BrokerError('NO_ENABLED_PROVIDERS', `No provider instance can take the request: ${why}.`, details);
  if (has('INSTANCE_LIMIT_EXCEEDED'))
    return new BrokerError('INSTANCE_LIMIT_EXCEEDED', `The request is too large: ${why}.`, details);
  if (has('API_NOT_SUPPORTED'))
    return new BrokerError(
      'API_NOT_SUPPORTED',
      `No provider instance offers what the template needs: ${why}.`,
      details,
    );
  if (query.provider_instance !== undefined && has('PROVIDER_TYPE_MISMATCH')) {
    return new BrokerError(
      'PROVIDER_TYPE_MISMATCH',
      `The provider type differs from the one that the template names: ${why}.`,
      details,
    );
  }
  const message =
    candidates.length === 0
      ? 'No provider instance is configured.'
      : `No enabled provider instance can take the request: ${why}.`;
  return new BrokerError('NO_ENABLED_PROVIDERS', message, details);
}
