import type { Clock } from '../contract/clock.ts';
import { extensionPoint, token, type Container, type ExtensionPoint } from './container.ts';
import type { EventSink, EventSinkType } from '../contract/events.ts';
import type { Log } from '../contract/log.ts';
import type { EndpointScheme, Plugin } from '../contract/plugin.ts';
import { recordContributor, recordVersion, versionOf } from './contributed-by.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import type { ProviderType } from '../contract/provider/provider-type.ts';
import type { BrokerService } from '../contract/service/service.ts';
import type { SchedulerStrategy } from '../contract/scheduler.ts';
import type { StorageDriver, Store } from '../contract/storage.ts';

export const providerTypes = extensionPoint<ProviderType<any, any>>('provider types');
export const providerApis = extensionPoint<ProviderApi>('provider APIs');
export const schedulers = extensionPoint<SchedulerStrategy>('scheduler strategies');
export const storages = extensionPoint<StorageDriver<any>>('storages');
export const eventSinks = extensionPoint<EventSink>('event sinks');
export const eventSinkTypes = extensionPoint<EventSinkType<any>>('event sink types');
export const endpointSchemes = extensionPoint<EndpointScheme>('endpoint schemes');

export const brokerServices = extensionPoint<BrokerService<any>>('services');

export const clock = token<Clock>('clock');
export const logger = token<Log>('logger');
export const store = token<Store>('store');

/** Adds the contributions of a plugin to their extension points. */
export function contribute(container: Container, plugin: Plugin): void {
  function add<T extends object>(point: ExtensionPoint<T>, contributions: readonly T[] = []): void {
    for (const contribution of contributions) {
      recordContributor(contribution, plugin.name);
      recordVersion(contribution, versionOf(plugin));
      container.add(point, contribution);
    }
  }
  add(providerTypes, plugin.providers);
  add(providerApis, plugin.providerApis);
  add(schedulers, plugin.schedulers);
  add(storages, plugin.storages);
  add(eventSinks, plugin.eventSinks);
  add(eventSinkTypes, plugin.eventSinkTypes);
  add(endpointSchemes, plugin.endpoints);
  add(brokerServices, plugin.services);
}
