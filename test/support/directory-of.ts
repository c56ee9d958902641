import { silentLog } from '../../core/contract/log.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import { ProviderDirectory } from '../../core/providers/directory.ts';
import { Facts } from '../../core/providers/facts.ts';
import type { Finding, ProviderApi } from '../../core/index.ts';
import { FakeClock } from './fake-clock.ts';
import { memoryDriver } from './memory-driver.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from './scripted-cloud.ts';

export function instanceOf(name: string, fields: Partial<ProviderInstance> = {}): ProviderInstance {
  return {
    name,
    type: 'scripted',
    enabled: true,
    priority: 1,
    weight: 10,
    config: {},
    template_defaults: {},
    sweep: 'off',
    limits: { max_instances_per_request: 10_000, max_concurrent_requests: null },
    ...fields,
  };
}

/** An API that is asked for what it offers and cannot honour, and never called. */
export function apiOf(
  name: string,
  max_instances: number,
  review?: (template: any) => readonly Finding[],
): ProviderApi {
  const cloud = new ScriptedCloud({ max_instances });
  return { ...scriptedApi(cloud.capabilities, [{ key: 'a' }, { key: 'b' }]), name, ...(review ? { review } : {}) };
}

/** Instances in a directory, with facts that a test may add to. `quarantined`: instances that are left alone. */
export async function directoryOf(
  instances: readonly ProviderInstance[],
  apis: readonly ProviderApi[],
  quarantined: readonly string[] = [],
) {
  const clock = new FakeClock();
  const facts = new Facts(await memoryDriver().open({}, { clock, log: silentLog }), clock);
  const left = (instance: string) => quarantined.includes(instance);
  return {
    clock,
    facts,
    directory: new ProviderDirectory(instances, [scriptedType], apis, facts, { quarantined: left }),
  };
}
