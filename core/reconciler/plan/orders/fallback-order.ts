import type { RequestRecord } from '../../../model/request.ts';
import { variantFor, type Placed } from '../../../model/template.ts';
import type { Shortfall } from '../../../model/shortfall.ts';
import { rankAll } from '../../../providers/choose.ts';
import type { ProviderDirectory } from '../../../providers/directory.ts';
import type { Rejection } from '../../../selection/candidate.ts';
import { exclusion, unfitness } from '../../../selection/eligibility.ts';
import type { ProviderOption } from './provider-option.ts';

/** An instance that only another live broker has. */
export interface Elsewhere {
  readonly provider_instance: string;
  readonly provider_type: string;
}

/** The instances that may serve a request now. */
export interface FallbackOrder {
  /** Best first. */
  readonly options: readonly ProviderOption[];
  /** The instances of other live brokers that may serve it, best first. */
  readonly elsewhere: readonly Elsewhere[];
  /** Why the other instances are rejected. */
  readonly out: readonly Rejection[];
}

/**
 * The instances that may serve a request now, by repeating the selection of the accepted request. The instance that
 * was selected then comes first while it can serve. Instances that do not answer come last, because they may recover.
 * `excluded`: instances that get no further orders, with the reason.
 */
export function fallbackOrder(
  request: RequestRecord,
  directory: ProviderDirectory,
  excluded: ReadonlyMap<string, string> = new Map(),
): FallbackOrder {
  const { request_id: key, template, variants, machine_count, preference = {}, selected_instance } = request;
  if (!template) return { options: [], elsewhere: [], out: [] };
  const placed = { template, ...(variants ? { variants } : {}) };
  const { eligible, unfit, rejected } = rankAll(placed, { key, machine_count }, preference, directory);
  const options = eligible.flatMap(({ name }) => (excluded.has(name) ? [] : optionAt(name, placed, directory)));
  const place = ({ provider_instance, unhealthy = false }: ProviderOption): number =>
    Number(unhealthy) * 2 + Number(provider_instance !== selected_instance);
  return {
    options: options.toSorted((a, b) => place(a) - place(b)),
    elsewhere: eligible.flatMap(({ name, type }) =>
      directory.instance(name) || excluded.has(name) ? [] : [{ provider_instance: name, provider_type: type }],
    ),
    out: [...rejected, ...unfit.map(unfitness), ...[...excluded].map(exclusion)],
  };
}

/**
 * The instances that may serve a request as soon as a broker has them again that ended lately, best first. `excluded`
 * as for `fallbackOrder`.
 */
export function absentInstances(
  request: RequestRecord,
  directory: ProviderDirectory,
  excluded: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const { request_id: key, template, variants, machine_count, preference = {} } = request;
  const { absent } = directory;
  if (!template || absent.length === 0) return [];
  const placed = { template, ...(variants ? { variants } : {}) };
  const { eligible } = rankAll(placed, { key, machine_count }, preference, directory, absent);
  return eligible.flatMap(({ name }) => (excluded.has(name) ? [] : [name]));
}

/** The message of a request that waits for a broker with an instance. */
export const waitsForBroker = (instance: string): string =>
  `No live broker has the provider instance '${instance}'; the request waits for one.`;

/** The message of a request that waits until a live broker has connected to an instance. */
export const waitsForConnection = (instance: string): string =>
  `The broker with '${instance}' cannot take the request over yet; the request waits for it.`;

/** The reason for the shortfall of a request that no instance may serve. */
export function noCandidates(out: readonly Rejection[]): readonly Shortfall[] {
  if (out.length === 0) return [];
  const why = out.map(({ name, reason }) => `'${name}': ${reason}`).join('; ');
  const message = `No configured provider instance can serve the request now: ${why}.`;
  return [{ kind: 'invalid', code: 'NO_PROVIDER', message }];
}

function optionAt(name: string, placed: Placed, directory: ProviderDirectory): readonly ProviderOption[] {
  const instance = directory.instance(name);
  const template = variantFor(placed, name);
  const api = directory.apiOf(template, name);
  if (!instance || !api) return [];
  const option = {
    provider_instance: name,
    provider_type: instance.type,
    api: api.name,
    capabilities: api.capabilities,
    template: directory.templateFor(template, instance),
    ...(directory.health(name).status === 'unhealthy' ? { unhealthy: true } : {}),
  };
  // A quarantined instance is not asked for its offers and gets no order. The request waits for it if it is the only
  // one.
  if (directory.quarantined(name, template.template_id))
    return [{ ...option, offers: undefined, shortfalls: new Map() }];
  return [{ ...option, ...directory.offersOf(template, instance, api) }];
}
