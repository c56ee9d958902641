import type { Plugin } from '../../core/contract/plugin.ts';

/** What a plugin brings that no other may bring too, each in words: `provider type 'cloud'`. */
export const contributionsOf = (plugin: Plugin): string[] => [
  ...(plugin.providers ?? []).flatMap((each) => [each.type, ...(each.aliases ?? [])].map((name) => `provider type '${name}'`)),
  ...(plugin.providerApis ?? []).map((each) => `provider API '${each.name}' of '${each.type}'`),
  ...(plugin.schedulers ?? []).map((each) => `scheduler strategy '${each.name}'`),
  ...(plugin.storages ?? []).map((each) => `storage '${each.type}'`),
  // By its name it is known how far a sink got.
  ...(plugin.eventSinks ?? []).map((each) => `event sink '${each.name}'`),
  ...(plugin.endpoints ?? []).map((each) => `endpoint scheme '${each.scheme}:'`),
];
