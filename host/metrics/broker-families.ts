import type { HealthStatus } from '../../core/model/health.ts';
import { machineStatuses } from '../../core/model/machine.ts';
import { requestStatuses } from '../../core/model/request.ts';
import type { Broker } from '../compose.ts';
import { thisPackage } from '../process/this-package.ts';
import { gauge, type Family } from './family.ts';

const healthValues: Readonly<Record<HealthStatus, number>> = { healthy: 1, unhealthy: 0, unknown: -1 };

/**
 * What the broker knows: the same in every process, so one is asked. Counts by status are kept by the storage, not
 * computed.
 */
export async function brokerFamilies({ store, services, facts }: Broker): Promise<readonly Family[]> {
  const { version } = thisPackage;
  const { instances } = services.providers;
  const byInstance = (value: (name: string) => number) =>
    instances.map(({ name }) => [{ provider_instance: name }, value(name)] as const);
  const [requests, machines] = await Promise.all([
    Promise.all(
      requestStatuses.map(async (status) => [{ status }, await store.count('request', { status })] as const),
    ),
    Promise.all(
      machineStatuses.map(async (status) => [{ status }, await store.count('machine', { status })] as const),
    ),
  ]);
  return [
    gauge('muster_build_info', 'Which version runs.', [[{ version, node: process.version }, 1]]),
    gauge('muster_requests', 'Requests, returns included, by status.', requests),
    gauge('muster_machines', 'Machines that are known, by status.', machines),
    gauge('muster_templates', 'Templates.', [[{}, services.templates.cacheStats.templates]]),
    gauge(
      'muster_provider_enabled',
      'Whether a provider instance is chosen for requests.',
      instances.map(({ name, enabled }) => [{ provider_instance: name }, Number(enabled)]),
    ),
    gauge(
      'muster_provider_healthy',
      'Whether a provider instance answers: 1 it does, 0 it does not or may not act, -1 it has not answered yet and nothing is known.',
      byInstance((name) => healthValues[facts.health(name).status]),
    ),
    gauge(
      'muster_provider_last_answer_timestamp_seconds',
      'When a provider instance last answered, in seconds since 1970, to the minute. Absent where it never did.',
      instances.flatMap(({ name }) => {
        const { answered_at } = facts.health(name);
        return answered_at === undefined ? [] : [[{ provider_instance: name }, answered_at / 1000] as const];
      }),
    ),
    gauge(
      'muster_offers_without_capacity',
      'Offers that come behind all others for now because they had no machines.',
      byInstance((name) => facts.lackingOffers(name).length),
    ),
  ];
}
