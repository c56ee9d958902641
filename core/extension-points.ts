import type { Clock } from './clock.ts';
import { extensionPoint, token, type Container, type ExtensionPoint } from './container.ts';
import type { EventSink } from './events.ts';
import type { Log } from './log.ts';
import type { EndpointScheme, Plugin } from './plugin.ts';
import { owned } from './plugin-of.ts';
import type { ProviderApi, ProviderType } from './provider.ts';
import type { SchedulerStrategy } from './scheduler.ts';
import type { StorageDriver, Store } from './storage.ts';

export const providerTypes = extensionPoint<ProviderType<any, any>>('provider types');
export const providerApis = extensionPoint<ProviderApi>('provider APIs');
export const schedulers = extensionPoint<SchedulerStrategy>('scheduler strategies');
export const storages = extensionPoint<StorageDriver<any>>('storages');
export const eventSinks = extensionPoint<EventSink>('event sinks');
export const endpointSchemes = extensionPoint<EndpointScheme>('endpoint schemes');

export const clock = token<Clock>('clock');
export const logger = token<Log>('logger');
export const store = token<Store>('store');

/** Puts what a plugin lists where it belongs. */
export function contribute(container: Container, plugin: Plugin): void {
  function add<T extends object>(point: ExtensionPoint<T>, contributions: readonly T[] = []): void {
    for (const it of contributions) {
      owned(it, plugin.name);
      container.add(point, it);
    }
  }
  add(providerTypes, plugin.providers);
  add(providerApis, plugin.providerApis);
  add(schedulers, plugin.schedulers);
  add(storages, plugin.storages);
  add(eventSinks, plugin.eventSinks);
  add(endpointSchemes, plugin.endpoints);
}
