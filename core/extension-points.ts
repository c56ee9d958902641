import type { Clock } from './clock.ts';
import { extensionPoint, token, type Container } from './container.ts';
import type { EventSink } from './events.ts';
import type { Log } from './log.ts';
import type { EndpointScheme, Plugin } from './plugin.ts';
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
  for (const it of plugin.providers ?? []) container.add(providerTypes, it);
  for (const it of plugin.providerApis ?? []) container.add(providerApis, it);
  for (const it of plugin.schedulers ?? []) container.add(schedulers, it);
  for (const it of plugin.storages ?? []) container.add(storages, it);
  for (const it of plugin.eventSinks ?? []) container.add(eventSinks, it);
  for (const it of plugin.endpoints ?? []) container.add(endpointSchemes, it);
}
