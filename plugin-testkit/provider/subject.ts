import type { Plugin, ProviderApi, ProviderType } from '../../core/index.ts';
import type { ProviderKit, ProviderWorld } from './provider-kit.ts';

/** What is under test, as far as the plugins bring it. */
export interface Subject<World extends ProviderWorld = any> {
  readonly kit: ProviderKit<World>;
  readonly plugins: readonly Plugin[];
  readonly types: readonly ProviderType<any, any>[];
  readonly apis: readonly ProviderApi[];
  readonly type: ProviderType<any, any>;
  readonly api: ProviderApi;
  /** Machines that most checks order. */
  readonly count: number;
}

/** Finds what is to be tested; a sentence where it is not there. */
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
    return `The plugins bring no API ${kit.api === undefined ? '' : `'${kit.api}' `}(they bring: ${names}). List it in 'providerApis'.`;
  const type = types.find((each) => each.type === api.type);
  if (!type)
    return `The API '${api.name}' belongs to the provider type '${api.type}', which none of the plugins brings. Give that plugin as well.`;
  const most = Number(api.capabilities?.machines_per_launch) || 1;
  return { kit, plugins: known, types, apis, type, api, count: Math.max(1, Math.min(kit.machine_count ?? 3, most)) };
}
