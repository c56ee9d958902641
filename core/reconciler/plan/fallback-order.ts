import type { RequestRecord } from '../../model/request.ts';
import { variantFor, type Placed } from '../../model/template.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { rankAll } from '../../providers/choose.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import type { Rejection } from '../../selection/candidate.ts';
import { barrier, unfitness } from '../../selection/eligibility.ts';
import type { ProviderOption } from './provider-option.ts';

/** Who may serve a request, as the instances are now. */
export interface FallbackOrder {
  /** Best first. */
  readonly options: readonly ProviderOption[];
  /** Why the other instances are out. */
  readonly out: readonly Rejection[];
}

/**
 * The instances that may serve a request now: by the selection that accepted it, made anew. The one that was chosen
 * then stays first while it can serve; those that do not answer come last, for they may answer again. `barred`:
 * instances that nothing more is ordered from, each with why.
 */
export function fallbackOrder(
  request: RequestRecord,
  directory: ProviderDirectory,
  barred: ReadonlyMap<string, string> = new Map(),
): FallbackOrder {
  const { request_id: key, template, variants, machine_count, preference = {}, selected_instance } = request;
  if (!template) return { options: [], out: [] };
  const placed = { template, ...(variants ? { variants } : {}) };
  const { eligible, unfit, rejected } = rankAll(placed, { key, machine_count }, preference, directory);
  const options = eligible.flatMap(({ name }) => (barred.has(name) ? [] : optionAt(name, placed, directory)));
  const place = ({ provider_instance, unhealthy = false }: ProviderOption): number =>
    Number(unhealthy) * 2 + Number(provider_instance !== selected_instance);
  return {
    options: options.toSorted((a, b) => place(a) - place(b)),
    out: [...rejected, ...unfit.map(unfitness), ...[...barred].map(barrier)],
  };
}

/** What to say of a request that no instance may serve. */
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
  // It is not asked what it offers, and no order for it is sent: the request waits for it where there is no other.
  if (directory.quarantined(name, template.template_id)) return [{ ...option, offers: undefined, short: new Map() }];
  return [{ ...option, ...directory.offersOf(template, instance, api) }];
}
