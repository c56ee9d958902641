import type { BudgetRules } from '../budgets/budgets.ts';
import { tagsOfRequest } from '../reconciler/plan/machine-tags.ts';
import type { UsageTagging } from '../model/usage/usage-tags.ts';
import { needsOf } from '../brokers/needs.ts';
import { newEvent } from '../contract/commits/new-event.ts';
import { BrokerError } from '../contract/errors.ts';
import { defaultTimeoutS, type RejectedInstance, type RequestRecord } from '../model/request.ts';
import { limitOf, type Placed, type Template } from '../model/template.ts';
import type { Chosen } from '../providers/choose.ts';
import type { Rejection } from '../selection/candidate.ts';
import type { Change } from '../contract/storage.ts';
import { machineCountCeiling } from '../operations/parameters.ts';
import type { TraceContext } from '../tracing/tracer.ts';
import { rememberKey, type IdempotencyKey } from './idempotency.ts';

/** The input of a request for machines. */
export interface RequestInput extends Placed {
  readonly machine_count: number;
  readonly timeout?: number;
  readonly tags?: Readonly<Record<string, string>>;
  /** Seconds; overrides the lease of the template. */
  readonly lease?: number;
  /** A name for each machine. */
  readonly names?: readonly string[];
  readonly additional_data?: Readonly<Record<string, unknown>>;
}

/**
 * Throws INSTANCE_LIMIT_EXCEEDED when the count is above the limit of the template or of any request. Limits of single
 * instances are checked by selection.
 */
export function checkCount({ template, variants, machine_count }: RequestInput): void {
  const limit = Math.min(variants ? Infinity : limitOf(template), machineCountCeiling);
  if (machine_count <= limit) return;
  const whose = limit === machineCountCeiling ? 'one request' : `template '${template.template_id}'`;
  throw new BrokerError(
    'INSTANCE_LIMIT_EXCEEDED',
    `/machine_count: ${machine_count} machines are more than the ${limit} that ${whose} may have.`,
    {
      machine_count,
      limit,
    },
  );
}

/** The most characters of the field as JSON. Every change of a request writes the whole record. */
const largest = 262_144;

/** Throws INVALID_REQUEST when the data of the caller is too large to be stored with the request. */
export function checkSize({ additional_data, tags }: RequestInput): void {
  for (const [field, value] of Object.entries({ additional_data, tags })) {
    const { length } = value === undefined ? '' : JSON.stringify(value);
    if (length > largest)
      throw new BrokerError(
        'INVALID_REQUEST',
        `/${field}: it has ${length} characters as JSON, more than the ${largest} that a request may carry`,
      );
  }
}

/** Throws INVALID_REQUEST when the names are not one for each machine, each once. */
export function checkNames({ names, machine_count }: RequestInput): void {
  if (names === undefined) return;
  if (names.length !== machine_count)
    throw new BrokerError(
      'INVALID_REQUEST',
      `/names: ${names.length} ${names.length === 1 ? 'name' : 'names'} for ${machine_count} machines; give one for each`,
    );
  const known = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (known.has(name)) throw new BrokerError('INVALID_REQUEST', `/names/${index}: '${name}' occurs twice`);
    known.add(name);
  }
}

/** The message of a request that nothing has been done for yet. */
export const openingMessage = (count: number, template_id: string | null, instance: string | undefined): string =>
  `${count} ${count === 1 ? 'machine' : 'machines'} of template '${template_id}' requested from '${instance}'.`;

/** A request in the state in which it was created, so that a repeated call gets the same answer. */
export const asOpened = (request: RequestRecord): RequestRecord => ({
  ...request,
  status: 'pending',
  message: openingMessage(request.machine_count, request.template_id, request.selected_instance),
});

/** The terms that the request keeps at every instance, also when the defaults of the selected instance set them. */
const termsOf = ({ partial, retry_until_timeout, replace_lost }: Template): Partial<Template> => ({
  ...(partial === undefined ? {} : { partial }),
  ...(retry_until_timeout === undefined ? {} : { retry_until_timeout }),
  ...(replace_lost === undefined ? {} : { replace_lost }),
});

/** The most rejected instances that a request keeps, and the most characters of each reason. */
const mostRejected = 20;
const longestReason = 300;

const rejectedInstance = ({ name, reason }: Rejection): RejectedInstance => ({
  name,
  reason: reason.length > longestReason ? `${reason.slice(0, longestReason - 2)} …` : reason,
});

/** A new provisioning request, and the one commit that stores it. */
export interface OpenedRequest {
  readonly request: RequestRecord;
  readonly changes: readonly Change[];
}

/** What a new request reserves, and by which tags the use of its machines is summed up. */
export interface OpeningRules {
  readonly budgets: BudgetRules;
  readonly usageTagging: UsageTagging;
}

/** Makes a provisioning request. Stores nothing. */
export function openRequest(
  input: RequestInput,
  chosen: Chosen,
  selectionTimeMs: number,
  now: number,
  given: { readonly request_id: string; readonly key?: IdempotencyKey; readonly trace?: TraceContext },
  { budgets, usageTagging }: OpeningRules,
): OpenedRequest {
  const { template, variants, machine_count } = input;
  const { preference = {}, seen = template } = chosen;
  const terms = termsOf(seen);
  const timeout = input.timeout ?? seen.timeout ?? defaultTimeoutS;
  const limit = limitOf(seen);
  const { request_id } = given;
  const own: Template = { ...template, ...terms };
  const carried = {
    ...(input.additional_data ? { additional_data: { ...input.additional_data } } : {}),
    ...(input.tags ? { tags: { ...input.tags } } : {}),
  };
  // The template of the catalogue: what its machines take at most is computed once for it.
  const reserves = budgets.reservations.ofNew({
    template,
    ...(variants ? { variants: { ...variants } } : {}),
    machine_count,
    preference,
    ...carried,
  });
  const usage_tags = usageTagging.of(() => tagsOfRequest({ template: own, ...carried }), now);
  const request: RequestRecord = {
    request_id,
    kind: 'provision',
    status: 'pending',
    template_id: template.template_id,
    template: own,
    ...(variants
      ? { variants: Object.fromEntries(Object.entries(variants).map(([name, each]) => [name, { ...each, ...terms }])) }
      : {}),
    machine_count,
    ...(input.names ? { names: [...input.names] } : {}),
    holds: machine_count,
    delivered: 0,
    provider_type: chosen.provider_type,
    provider_instance: chosen.provider_instance,
    provider_selection: {
      selection_reason: chosen.selection_reason,
      confidence: chosen.confidence,
      alternatives: [...chosen.alternatives],
      selection_time_ms: selectionTimeMs,
    },
    ...(chosen.rejected.length > 0 ? { rejected: chosen.rejected.slice(0, mostRejected).map(rejectedInstance) } : {}),
    preference,
    selected_instance: chosen.provider_instance,
    needs: needsOf([{ name: chosen.provider_instance }]),
    ...carried,
    ...(given.trace ? { trace: { ...given.trace } } : {}),
    message: openingMessage(machine_count, template.template_id, chosen.provider_instance),
    created_at: now,
    deadline_at: now + timeout * 1000,
    timeout_s: timeout,
    ...(input.lease === undefined ? {} : { lease_s: input.lease }),
    next_at: now,
    version: 1,
    epoch: 0,
    reserves,
    ...(usage_tags ? { usage_tags } : {}),
  };
  return {
    request,
    changes: [
      ...rememberKey(given.key, request_id, now),
      ...(limit < Infinity
        ? [{ op: 'limit', template_id: template.template_id, machine_count, max: limit } as const]
        : []),
      { op: 'insert', kind: 'request', record: request },
      newEvent(now, 'request.created', { machine_count, template_id: template.template_id }, request_id),
      ...budgets.checks({ template_id: template.template_id, after: reserves }),
    ],
  };
}
