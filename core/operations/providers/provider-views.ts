import { Type, type Static, type TObject } from 'typebox';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import { healthStatuses, type Health } from '../../model/health.ts';
import { redact } from '../../schema/redact.ts';

const Limits = Type.Object({
  max_instances_per_request: Type.Integer(),
  max_concurrent_requests: Type.Union([Type.Integer(), Type.Null()]),
});

const Statistics = Type.Object({
  total_requests: Type.Integer({ description: 'Requests that ended and had an attempt at this instance.' }),
  successful_requests: Type.Integer({ description: 'Requests that got machines from this instance.' }),
  failed_requests: Type.Integer(),
  average_response_time_ms: Type.Integer({ description: 'The average time until the provider answered a launch.' }),
});

const BrokerHealthView = Type.Object({
  broker_id: Type.String(),
  host: Type.String(),
  status: Type.Enum([...healthStatuses]),
  message: Type.Optional(Type.String()),
  answered_at: Type.Optional(Type.String()),
});

export const ProviderView = Type.Object({
  name: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  priority: Type.Integer(),
  weight: Type.Integer(),
  capabilities: Type.Array(Type.String(), { description: 'APIs, preferred first.' }),
  status: Type.Enum(['unknown', 'healthy', 'unhealthy', 'disabled', 'missing'], {
    description:
      '`unknown`: the instance has not answered yet in its present configuration; it is selected like a healthy one. ' +
      '`missing`: the instance has living machines and is not in the configuration.',
  }),
  message: Type.Optional(Type.String({ description: 'Why the instance is unhealthy or missing.' })),
  answered_at: Type.Optional(
    Type.String({ description: 'When the instance last answered, to the minute. Absent: never.' }),
  ),
  health_by_broker: Type.Optional(
    Type.Array(BrokerHealthView, {
      description:
        'What each broker found that has the instance; `status` is `healthy` when one of them found it so. Absent: one broker has it.',
    }),
  ),
  configuration: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The configuration with defaults; secrets are masked.',
  }),
  limits: Limits,
  statistics: Statistics,
});
export type ProviderView = Static<typeof ProviderView>;

/** A configured instance as callers see it. */
export function providerView(instance: ProviderInstance, providers: ProviderDirectory): ProviderView {
  const { name, type, enabled, priority, weight, config, limits } = instance;
  const health = providers.health(name);
  const schema = providers.type(instance)?.config as TObject | undefined;
  return {
    name,
    type,
    enabled,
    priority,
    weight,
    capabilities: providers.apis(name).map((api) => api.name),
    status: enabled ? health.status : 'disabled',
    ...(enabled && health.message !== undefined ? { message: health.message } : {}),
    ...answered(health),
    ...healthByBroker(name, providers),
    configuration: schema ? masked(schema, config) : {},
    limits: { ...limits },
    statistics: statisticsOf(name, providers),
  };
}

/** By configuration, which does not change. */
const maskedConfigurations = new WeakMap<object, Record<string, unknown>>();

function masked(schema: TObject, config: object): Record<string, unknown> {
  let known = maskedConfigurations.get(config);
  if (!known) maskedConfigurations.set(config, (known = redact(schema, config) as Record<string, unknown>));
  return known;
}

const answered = ({ answered_at }: Health): { readonly answered_at?: string } =>
  answered_at === undefined ? {} : { answered_at: new Date(answered_at).toISOString() };

function healthByBroker(name: string, providers: ProviderDirectory): Pick<ProviderView, 'health_by_broker'> {
  const found = providers.healthByBroker(name);
  if (found.length < 2) return {};
  return {
    health_by_broker: found.map(({ broker_id, host, status, message, ...health }) => ({
      broker_id,
      host,
      status,
      ...(message === undefined ? {} : { message }),
      ...answered(health as Health),
    })),
  };
}

/** An instance that has living machines and is not configured. */
export function missingView(name: string, type: string, providers: ProviderDirectory): ProviderView {
  return {
    name,
    type,
    enabled: false,
    priority: 0,
    weight: 0,
    capabilities: [],
    status: 'missing',
    message:
      'The instance has living machines and is not in the configuration, so the machines cannot be tracked or returned.',
    configuration: {},
    limits: { max_instances_per_request: 0, max_concurrent_requests: null },
    statistics: statisticsOf(name, providers),
  };
}

/** All configured instances, and those that are not configured and have living machines. */
export const providerViews = (providers: ProviderDirectory): readonly ProviderView[] => [
  ...providers.instances.map((instance) => providerView(instance, providers)),
  ...providers.missing().map(({ name, type }) => missingView(name, type, providers)),
];

function statisticsOf(name: string, providers: ProviderDirectory): Static<typeof Statistics> {
  const { total_requests, successful_requests, failed_requests, answers, answer_ms } = providers.measured(name);
  const average_response_time_ms = answers === 0 ? 0 : Math.round(answer_ms / answers);
  return { total_requests, successful_requests, failed_requests, average_response_time_ms };
}
