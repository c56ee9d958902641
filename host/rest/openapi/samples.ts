import type { RequestRecord } from '../../../core/model/request.ts';
import type { Broker } from '../../compose.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Values of the examples. Templates and instances have the names of this broker, so that a reader can send an example
 * unchanged.
 */
export interface Samples {
  /** By field name, in muster's spelling or in HostFactory's. */
  readonly values: Values;
  /** Bodies and parameters of calls by operation, where `values` is not sufficient. */
  readonly calls: Readonly<Record<string, Values>>;
  /** Fields of answers by operation, where `values` has the wrong value. */
  readonly answers: Readonly<Record<string, Values>>;
}

const timestamp = '2026-01-15T09:30:00.000Z';
const request_id = 'req-019bc0e8-6c00-7d31-9f04-3a5c2e7b9d10';
const return_id = 'ret-019bc0f1-91a0-7c42-8b6e-5d1f0a2c4e63';
const machine_id = 'i-0a1b2c3d4e5f60718';

export function samplesOf({ services }: Broker): Samples {
  const [first] = services.templateLibrary.list({ limit: 1, offset: 0 }).items;
  const [instance] = services.providers.instances;
  const template_id = services.templateLibrary.knows('small') ? 'small' : (first?.template.template_id ?? 'small');
  const provider_instance = instance?.name ?? 'east';
  const provider_type = instance?.type ?? 'cloud';
  const provider_api = instance ? (services.providers.apis(instance.name)[0]?.name ?? 'RunInstances') : 'RunInstances';
  const template = {
    template_id: 'batch',
    image_id: 'ami-067bea1a7acde1586',
    machine_type: 't3.small',
    subnet_ids: ['subnet-0e24c7ca3264c9054'],
  };
  const order = { template_id, machine_count: 2 };
  const opened = `2 machines of template '${template_id}' requested from '${provider_instance}'.`;
  const pending: RequestRecord = {
    request_id,
    kind: 'provision',
    status: 'pending',
    template_id,
    machine_count: 2,
    holds: 2,
    delivered: 0,
    message: opened,
    created_at: Date.parse(timestamp),
    deadline_at: Date.parse(timestamp) + 3_600_000,
    next_at: null,
    version: 1,
    epoch: 0,
  };
  const status = services.scheduler.statusWord?.(pending) ?? pending.status;
  return {
    values: {
      template_id,
      provider_instance,
      provider_name: provider_instance,
      provider_type,
      provider_api,
      request_id,
      machine_id,
      machine_ids: [machine_id],
      name: 'ip-10-0-1-17.ec2.internal',
      machine: 'ip-10-0-1-17.ec2.internal',
      'machine.status': 'running',
      'machine.message': '',
      'provider.name': provider_instance,
      'provider.type': provider_type,
      'supported_api.name': provider_api,
      machine_count: 2,
      requested_count: 2,
      requested: 2,
      delivered: 2,
      final: true,
      status: 'completed',
      fulfilment: { requested: 2, delivered: 2, final: true, shortfall: [] },
      message: '2 of 2 machines delivered.',
      private_ip: '10.0.1.17',
      created_at: timestamp,
      completed_at: '2026-01-15T09:30:41.000Z',
      timestamp,
      started_at: timestamp,
      selection_reason: `'${provider_instance}' is the only instance that can serve it.`,
      selection_strategy: 'default',
      confidence: 1,
      alternatives: [],
      rejected: [],
      selection_time_ms: 0,
      valid: true,
      errors: [],
      warnings: [],
      supported_features: ['machine_type', 'subnet_ids'],
      unsupported_features: [],
      validation_level: 'strict',
      validation_errors: [],
      validation_results: {
        [provider_instance]: {
          valid: true,
          errors: [],
          warnings: [],
          supported_features: ['machine_type', 'subnet_ids'],
        },
      },
      compatible_providers: [provider_instance],
      incompatible_providers: [],
      recognized: ['MUSTER_CLOUD_REGION'],
      ignored: [],
      invalid: [],
      environment_variables: { recognized: ['MUSTER_CLOUD_REGION'], ignored: [], invalid: [] },
      resolved_configuration: { region: 'us-west-2' },
      image_id: template.image_id,
      machine_type: template.machine_type,
      subnet_ids: template.subnet_ids,
      capabilities: ['EC2Fleet', 'RunInstances'],
      configuration: { region: 'us-east-1' },
      enabled: true,
      priority: 1,
      weight: 10,
      max_instances_per_request: 1000,
      max_concurrent_requests: null,
      max_instances: 1000,
      supported_fleet_types: ['instant', 'request', 'maintain'],
      supports_spot: true,
      supports_on_demand: true,
      pricing_models: ['ondemand', 'spot'],
      regions: ['us-east-1'],
      availability_zones: ['us-east-1a', 'us-east-1b'],
      finds_orphans: true,
      offers_without_capacity: [],
      reason: 'The cloud reclaims the machine.',
      grace_period_s: 120,
      total: 1,
      count: 1,
      total_count: 1,
      // The field names of HostFactory.
      requestId: request_id,
      templateId: template_id,
      machineId: machine_id,
      machineCount: 2,
      maxNumber: 100,
      result: 'succeed',
      privateIpAddress: '10.0.1.17',
      publicIpAddress: null,
      cloudHostId: null,
      launchtime: 1_768_469_400,
      instanceTags: '',
      validationErrors: [],
      validationWarnings: [],
      templateCount: 2,
      cacheStats: { templates: 2, files: 1, loads: 2, errors: [] },
    },
    calls: {
      create_template: { ...template, provider_api, tags: { team: 'render' } },
      update_template: { template_id: template.template_id, machine_type: 't3.medium' },
      delete_template: { template_id: template.template_id },
      validate_template: { ...template, provider_api },
      validate_template_for_provider: { template_id, provider_instance, validation_level: 'lenient' },
      validate_template_for_providers: { template_id, provider_instances: [provider_instance] },
      create_request: { ...order, additional_data: { project: 'render' } },
      create_selected_request: { ...order, provider_preference: { type: 'explicit', provider_instance } },
      get_requests: { request_ids: [request_id] },
      list_reclaimed_machines: { machine_ids: [machine_id] },
      test_provider_selection: { ...order, selection_strategy: 'load_balanced', provider_type },
      validate_provider_configuration: { providers: [{ name: 'west', type: provider_type, config: {} }] },
      validate_provider_environment: {
        provider_type,
        environment_variables: { [`MUSTER_${provider_type.toUpperCase()}_REGION`]: 'us-west-2' },
      },
    },
    answers: {
      create_template: { templateId: template.template_id, message: "Template 'batch' was created." },
      update_template: { templateId: template.template_id, message: "Template 'batch' was updated." },
      delete_template: { templateId: template.template_id, message: "Template 'batch' was deleted." },
      validate_template: { templateId: template.template_id },
      list_templates: { message: '1 template.' },
      refresh_templates: { message: '2 templates from 1 files.' },
      create_request: { status, message: opened },
      create_selected_request: { status },
      create_return_request: {
        request_id: return_id,
        requestId: return_id,
        status: 'pending',
        message: '1 machine is given back.',
      },
      cancel_request: { message: 'The request is cancelled; its machines are given back.', status: 'in_progress' },
      validate_provider_configuration: { providers: [{ name: 'west', valid: true, errors: [], warnings: [] }] },
      test_provider_selection: { selection_strategy: 'load_balanced' },
      get_provider: { name: provider_instance, type: provider_type },
    },
  };
}
