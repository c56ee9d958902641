import type { Candidate, Rejection, SelectionQuery, Strategy } from './candidate.ts';

export interface Sifted {
  readonly eligible: readonly Candidate[];
  readonly rejected: readonly Rejection[];
}

/** Parts those that can serve from those that cannot, each with its reason. Want of capacity keeps an instance out only while another is in. */
export function sift(query: SelectionQuery, strategy: Strategy, candidates: readonly Candidate[]): Sifted {
  const eligible: Candidate[] = [];
  const short: Candidate[] = [];
  const rejected: Rejection[] = [];
  for (const candidate of candidates) {
    const rejection = objection(query, strategy, candidate);
    if (rejection) rejected.push(rejection);
    else if (candidate.without_capacity) short.push(candidate);
    else eligible.push(candidate);
  }
  if (eligible.length === 0) return { eligible: short, rejected };
  for (const { name } of short) {
    rejected.push({ name, code: 'NO_CAPACITY', reason: 'every offer that the template allows was lately without capacity' });
  }
  return { eligible, rejected };
}

function objection(query: SelectionQuery, strategy: Strategy, candidate: Candidate): Rejection | undefined {
  const { name } = candidate;
  if (!candidate.enabled) return { name, code: 'PROVIDER_DISABLED', reason: 'it is disabled' };
  if (query.provider_type !== undefined && candidate.type !== query.provider_type) {
    return { name, code: 'PROVIDER_TYPE_MISMATCH', reason: `its type is '${candidate.type}', not '${query.provider_type}'` };
  }
  if (query.provider_api !== undefined && !candidate.apis.includes(query.provider_api)) {
    const offered = candidate.apis.length === 0 ? 'none at all' : candidate.apis.join(', ');
    return { name, code: 'API_NOT_SUPPORTED', reason: `it does not offer the API '${query.provider_api}' but ${offered}` };
  }
  if (candidate.apis.length === 0) return { name, code: 'API_NOT_SUPPORTED', reason: 'it offers no API' };
  if (query.machine_count > candidate.max_instances_per_request) {
    const reason = `${query.machine_count} machines are more than its limit of ${candidate.max_instances_per_request} for one request`;
    return { name, code: 'INSTANCE_LIMIT_EXCEEDED', reason };
  }
  if (candidate.unhealthy !== undefined)
    return { name, code: 'PROVIDER_UNHEALTHY', reason: `it is unhealthy: ${candidate.unhealthy.replace(/\.$/, '')}` };
  if (candidate.weight === 0 && strategy !== 'explicit')
    return { name, code: 'WEIGHT_ZERO', reason: 'its weight is 0: it is used only when named' };
  return undefined;
}
