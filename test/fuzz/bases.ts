/** A call that the broker takes: what hostile ones are made from. */
export interface Base {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const api = '/api/v1';
const launch = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'] };
const template = {
  template_id: 'made',
  provider_api: 'RunInstances',
  ...launch,
  tags: { team: 'render' },
  max_instances: 5,
};
const fleet = {
  ...template,
  provider_api: 'EC2Fleet',
  machine_types: { 't3.small': 1, 't3.medium': 2 },
  allocation_strategy: 'lowestPrice',
  launch_template_spec: { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: 'b' }] }] },
};
const provider = {
  name: 'west',
  type: 'cloud',
  enabled: true,
  priority: 1,
  weight: 10,
  config: {
    region: 'us-east-1',
    endpoint_url: null,
    credential_file: '/nowhere/credentials',
    handlers: { ec2_fleet: true },
  },
  template_defaults: { subnet_ids: ['subnet-1'] },
  limits: { max_instances_per_request: 10 },
};
const preference = { type: 'explicit', provider_instance: 'east' };
const machine_ids = ['i-0a1b2c3d4e5f60718', 'i-0a1b2c3d4e5f60719'];
const request_ids = ['req-1', 'ret-1'];
const script = (input: unknown) => ({ input, env: { dialect: 'symphony', provider_name: 'east' } });
const tool = (name: string, given: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** By name. */
export const bases: Readonly<Record<string, Base>> = {
  create_template: { method: 'POST', path: `${api}/templates/`, body: fleet },
  update_template: {
    method: 'PUT',
    path: `${api}/templates/small`,
    body: { ...template, template_id: 'small', description: null },
  },
  delete_template: { method: 'DELETE', path: `${api}/templates/nowhere` },
  validate_template: {
    method: 'POST',
    path: `${api}/templates/validate`,
    body: { ...fleet, configuration: template },
  },
  validate_for_provider: {
    method: 'POST',
    path: `${api}/templates/small/validate`,
    body: { provider_instance: 'east', validation_level: 'lenient' },
  },
  validate_for_providers: {
    method: 'POST',
    path: `${api}/templates/small/validate-multi`,
    body: { provider_instances: ['east', 'west'] },
  },
  refresh_templates: { method: 'POST', path: `${api}/templates/refresh`, body: {} },
  request: {
    method: 'POST',
    path: `${api}/machines/request`,
    body: {
      template_id: 'small',
      machine_count: 2,
      additional_data: { project: { name: 'a' } },
      timeout: 60,
      tags: { team: 'a' },
    },
  },
  selected: {
    method: 'POST',
    path: `${api}/requests/`,
    body: {
      template_id: 'small',
      machine_count: 2,
      provider_preference: preference,
      additional_data: { project: 'a' },
    },
  },
  give_back: { method: 'POST', path: `${api}/machines/return`, body: { machine_ids } },
  reclaimed: { method: 'POST', path: `${api}/machines/reclaimed`, body: { machine_ids, names: ['ip-10-0-0-1'] } },
  cancel: { method: 'DELETE', path: `${api}/requests/req-1?reason=over` },
  several: { method: 'POST', path: `${api}/requests/status`, body: { request_ids, long: true } },
  list: { method: 'GET', path: `${api}/requests/?limit=1000&status=pending&sort=created_at:asc` },
  returns: { method: 'GET', path: `${api}/requests/return?limit=1000` },
  templates: { method: 'GET', path: `${api}/templates/?limit=1000&provider_api=RunInstances&sort=name:desc` },
  template: { method: 'GET', path: `${api}/templates/nowhere?include_source=true` },
  machines: { method: 'GET', path: `${api}/inventory/?limit=1000&status=running&all_resources=true` },
  providers: { method: 'GET', path: `${api}/providers/?page=1&page_size=200` },
  validate_providers: {
    method: 'POST',
    path: `${api}/providers/validate`,
    body: { providers: [provider, { ...provider, name: 'north' }] },
  },
  validate_environment: {
    method: 'POST',
    path: `${api}/providers/validate-env`,
    body: {
      provider_type: 'cloud',
      environment_variables: {
        MUSTER_CLOUD_REGION: 'us-east-1',
        MUSTER_CLOUD_HANDLERS__EC2_FLEET: 'true',
        OTHER: 'x',
      },
    },
  },
  select: {
    method: 'POST',
    path: `${api}/providers/select`,
    body: { template: fleet, machine_count: 3, selection_strategy: 'default' },
  },
  operation: {
    method: 'POST',
    path: `${api}/operations/list_machines`,
    body: { status: 'running', template_id: 'small', limit: 10 },
  },
  operation_template: { method: 'POST', path: `${api}/operations/validate_template`, body: fleet },
  script_templates: { method: 'POST', path: `${api}/hostfactory/getAvailableTemplates`, body: script({}) },
  script_request: {
    method: 'POST',
    path: `${api}/hostfactory/requestMachines`,
    body: script({ template: { templateId: 'small', machineCount: 2 }, rc_account: 'a', userData: { a: 'b' } }),
  },
  script_status: {
    method: 'POST',
    path: `${api}/hostfactory/getRequestStatus`,
    body: script({ requests: [{ requestId: 'req-1' }, { requestId: 'ret-1' }] }),
  },
  script_return: {
    method: 'POST',
    path: `${api}/hostfactory/requestReturnMachines`,
    body: script({ machines: [{ name: 'ip-10-0-0-1', machineId: 'i-1' }] }),
  },
  script_reclaims: {
    method: 'POST',
    path: `${api}/hostfactory/getReturnRequests`,
    body: script({ machines: [{ name: 'ip-10-0-0-1', machineId: 'i-1' }, 'ip-10-0-0-2'] }),
  },
  agent_call: { method: 'POST', path: '/mcp', body: tool('validate_template', fleet) },
  agent_tools: { method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
};
