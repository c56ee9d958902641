import type { Plugin, ProviderApi, ProviderType } from '../../core/index.ts';
import type { ProviderKit, ProviderWorld } from './provider-kit.ts';

/** The plugins, types and APIs under test. */
export interface Subject<World extends ProviderWorld = any> {
  readonly kit: ProviderKit<World>;
  readonly plugins: readonly Plugin[];
  readonly types: readonly ProviderType<any, any>[];
  readonly apis: readonly ProviderApi[];
  readonly type: ProviderType<any, any>;
  readonly api: ProviderApi;
  /** Number of machines that most checks order. */
  readonly count: number;
}

/** Finds the API under test and its type; returns a sentence if one is missing. */
export function subjectOf<World extends ProviderWorld>(kit: ProviderKit<World>): Subject<World> | string {
  const given = typeof kit.plugin === 'function' ? kit.plugin() : kit.plugin;
  const plugins = (Array.isArray(given) ? given : [given]) as readonly (Plugin | undefined)[];
  const known = plugins.flatMap((plugin) => (typeof plugin === 'object' && plugin !== null ? [plugin] : []));
  const types = known.flatMap((plugin) => plugin.providers ?? []);
  const apis = known.flatMap((plugin) => plugin.providerApis ?? []);
  const named = apis.filter((each) => kit.api === undefined || each.name === kit.api);
  const api = named.at(-1);
  const names = apis.map((each) => `'${each.name}'`).join(', ') || 'none';
  if (!api)
    return `The plugins contribute no API ${kit.api === undefined ? '' : `'${kit.api}' `}(they contribute: ${names}). List it in 'providerApis'.`;
  const type = types.find((each) => each.type === api.type);
  if (!type)
    return `The API '${api.name}' belongs to the provider type '${api.type}', which none of the plugins contributes. Pass that plugin as well.`;
  const most = Number(api.capabilities?.machines_per_launch) || 1;
  return { kit, plugins: known, types, apis, type, api, count: Math.max(1, Math.min(kit.machine_count ?? 3, most)) };
}
