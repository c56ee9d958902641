import { brokerStatuses } from '../../core/model/broker.ts';
import type { HealthStatus } from '../../core/model/health.ts';
import { machineStatuses } from '../../core/model/machine.ts';
import { requestStatuses } from '../../core/model/request.ts';
import type { Store } from '../../core/contract/storage.ts';
import type { Services } from '../../core/operations/services.ts';
import type { Facts } from '../../core/providers/facts.ts';
import { thisPackage } from '../process/this-package.ts';
import { gauge, type Family } from './family.ts';
import { machinesOfTemplates, oldestOpen } from './stored-counts.ts';

/** What the metrics of a broker's state are read from. */
export interface BrokerState {
  readonly store: Store;
  readonly services: Services;
  readonly facts: Facts;
}

const healthValues: Readonly<Record<HealthStatus, number>> = { healthy: 1, unhealthy: 0, unknown: -1 };

/**
 * Returns the metrics of the broker's state: they are the same in every process, so one process reports them. The
 * storage keeps the counts by status.
 */
export async function brokerFamilies({ store, services, facts }: BrokerState): Promise<readonly Family[]> {
  const { version } = thisPackage;
  const { instances } = services.providers;
  const byInstance = (value: (name: string) => number) =>
    instances.map(({ name }) => [{ provider_instance: name }, value(name)] as const);
  const [requests, machines, brokers, oldest, budgets, ofTemplates] = await Promise.all([
    Promise.all(
      requestStatuses.map(async (status) => [{ status }, await store.count('request', { status })] as const),
    ),
    Promise.all(
      machineStatuses.map(async (status) => [{ status }, await store.count('machine', { status })] as const),
    ),
    store.brokers(),
    oldestOpen(store),
    services.budgets.all(),
    machinesOfTemplates(
      store,
      services.templateLibrary.list().items.map(({ template }) => template.template_id),
    ),
  ]);
  return [
    gauge('muster_build_info', 'The running version.', [[{ version, node: process.version }, 1]]),
    gauge('muster_requests', 'Requests, returns included, by status.', requests),
    gauge('muster_machines', 'Machines by status.', machines),
    gauge(
      'muster_oldest_open_request_timestamp_seconds',
      'When the oldest request, or return, was accepted that has not ended, in seconds since 1970. Absent when none is open.',
      oldest,
    ),
    gauge('muster_template_machines', 'Machines that start or run, by template.', ofTemplates),
    gauge(
      'muster_brokers',
      'Brokers that share the storage, by status.',
      brokerStatuses.map((status) => [{ status }, brokers.filter((each) => each.status === status).length]),
    ),
    gauge(
      'muster_budget_used',
      'What is used of a limit of a budget, in its unit: machines, vCPUs, US dollars.',
      budgets.flatMap(({ budget, limits }) =>
        limits.map(({ limit, used }) => [{ budget: budget.name, limit }, used] as const),
      ),
    ),
    gauge(
      'muster_budget_limit',
      'The limits of the budgets.',
      budgets.flatMap(({ budget, limits }) =>
        limits.map(({ limit, max }) => [{ budget: budget.name, limit }, max] as const),
      ),
    ),
    gauge('muster_templates', 'Number of templates.', [[{}, services.templateLibrary.cacheStats.templates]]),
    gauge(
      'muster_provider_enabled',
      'Whether a provider instance accepts requests.',
      instances.map(({ name, enabled }) => [{ provider_instance: name }, Number(enabled)]),
    ),
    gauge(
      'muster_provider_healthy',
      'Health of a provider instance: 1 it answers, 0 it does not answer or lacks permissions, -1 unknown: it has not answered yet.',
      byInstance((name) => healthValues[facts.health(name).status]),
    ),
    gauge(
      'muster_provider_last_answer_timestamp_seconds',
      'When a provider instance last answered, in seconds since 1970, to the minute. Absent when it never answered.',
      instances.flatMap(({ name }) => {
        const { answered_at } = facts.health(name);
        return answered_at === undefined ? [] : [[{ provider_instance: name }, answered_at / 1000] as const];
      }),
    ),
    gauge(
      'muster_offers_without_capacity',
      'Offers that are tried last for some time because they lacked capacity.',
      byInstance((name) => facts.offerShortfalls(name).length),
    ),
  ];
}
