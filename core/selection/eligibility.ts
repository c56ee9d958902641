import type { Candidate, MachineLimit, Rejection, SelectionQuery, Strategy } from './candidate.ts';

export interface Eligibility {
  readonly eligible: readonly Candidate[];
  /** Instances that are rejected only because their API cannot honor the template. */
  readonly unfit: readonly Candidate[];
  readonly rejected: readonly Rejection[];
}

/** Separates the instances that can serve from those that cannot, with the reason of each. */
export function splitByEligibility(
  query: SelectionQuery,
  strategy: Strategy,
  candidates: readonly Candidate[],
): Eligibility {
  const eligible: Candidate[] = [];
  const unfit: Candidate[] = [];
  const rejected: Rejection[] = [];
  for (const candidate of candidates) {
    const rejection = objection(query, strategy, candidate);
    if (rejection) rejected.push(rejection);
    else if (candidate.unfit === undefined) eligible.push(candidate);
    else unfit.push(candidate);
  }
  return { eligible, unfit, rejected };
}

export const unfitness = ({ name, unfit }: Candidate): Rejection => ({
  name,
  code: 'TEMPLATE_INVALID',
  reason: `its API cannot honor the template: ${(unfit ?? '').replace(/\.$/, '')}`,
});

/** The rejection of an instance at which no further call is made for a request. */
export const exclusion = ([name, why]: readonly [string, string]): Rejection => ({
  name,
  code: 'TEMPLATE_INVALID',
  reason: why.replace(/\.$/, ''),
});

function objection(query: SelectionQuery, strategy: Strategy, candidate: Candidate): Rejection | undefined {
  const { name } = candidate;
  if (!candidate.enabled) return { name, code: 'PROVIDER_DISABLED', reason: 'it is disabled' };
  if (query.provider_type !== undefined && candidate.type !== query.provider_type) {
    return {
      name,
      code: 'PROVIDER_TYPE_MISMATCH',
      reason: `its type is '${candidate.type}', not '${query.provider_type}'`,
    };
  }
  const requiredApi = query.provider_api ?? candidate.required_api;
  if (requiredApi !== undefined && !candidate.apis.includes(requiredApi)) {
    const offered = candidate.apis.length === 0 ? 'no API' : candidate.apis.join(', ');
    return { name, code: 'API_NOT_SUPPORTED', reason: `it does not offer the API '${requiredApi}' but ${offered}` };
  }
  if (candidate.apis.length === 0) return { name, code: 'API_NOT_SUPPORTED', reason: 'it offers no API' };
  const over = candidate.limits.find((limit) => limit.most < counted(query, limit));
  if (over) return { name, code: 'INSTANCE_LIMIT_EXCEEDED', reason: tooMany(query, over) };
  if (candidate.unhealthy !== undefined)
    return { name, code: 'PROVIDER_UNHEALTHY', reason: `it is unhealthy: ${candidate.unhealthy.replace(/\.$/, '')}` };
  if (candidate.weight === 0 && strategy !== 'explicit')
    return { name, code: 'WEIGHT_ZERO', reason: 'its weight is 0: it is used only when named' };
  return undefined;
}

const counted = ({ machine_count, held = 0 }: SelectionQuery, { by }: MachineLimit): number =>
  machine_count + (by === 'template' ? held : 0);

function tooMany({ machine_count, held = 0 }: SelectionQuery, { most, by }: MachineLimit): string {
  if (by === 'instance') return `${machine_count} machines are more than its limit of ${most} for one request`;
  if (by === 'api') return `${machine_count} machines are more than the ${most} that its API allows for one request`;
  const beside = held > 0 ? `, of which ${held} are in use,` : '';
  return `${machine_count} machines are more than the ${most}${beside} that the template allows there`;
}
