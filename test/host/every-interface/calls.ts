import type { Fields } from './interfaces.ts';

/** The resources of an interface: shared ones, which it only reads, and its own, which it may change. */
export interface Found {
  /** An id that no other interface uses. */
  readonly own: string;
  /** A request that has ended, with its machines. */
  readonly request_id: string;
  readonly machine_ids: readonly string[];
  /** A machine that belongs to this interface alone. */
  readonly mine: string;
  /** A request in progress that gets no machine; another one at each call. */
  slow(): string;
}

export interface Call {
  readonly input?: (found: Found) => Fields;
  /** The arguments of the command line, if they differ from the declaration. */
  readonly cli?: (input: Fields) => readonly string[];
  readonly check?: (answer: any) => boolean;
  /** The effect: a path below /api/v1, and whether its answer shows the effect. */
  readonly effect?: (answer: any) => readonly [string, (shown: any) => boolean];
  /** Only the fields of the answer are the same: their values depend on earlier calls. */
  readonly like?: true;
}

const settings = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, value]) => [
    '--set',
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
const template = {
  image_id: 'ami-1',
  provider_api: 'RunInstances',
  machine_type: 't3.small',
  subnet_ids: ['subnet-1'],
  max_instances: 7,
};

const ending =
  (wanted: string): NonNullable<Call['effect']> =>
  ({ request_id }) => [`/requests/${request_id}`, ({ status }) => status === wanted];

/** A call of every operation, in this order: queries come first, so that all interfaces see the same state. */
export const calls: Readonly<Record<string, Call>> = {
  list_templates: {
    input: () => ({ provider_api: 'RunInstances', sort: 'template_id:desc', page_size: 1 }),
    check: ({ count, total_count }) => count === 1 && total_count === 2,
  },
  get_template: {
    input: () => ({ template_id: 'small', include_source: true }),
    check: ({ template: { source_info } }) => source_info.source_file === 'templates.json',
  },
  validate_template: {
    input: () => ({ template_id: 'x', max_instances: 'y' }),
    cli: settings,
    check: ({ valid, validationErrors }) => !valid && validationErrors.length > 0,
  },
  validate_template_for_provider: {
    input: () => ({ template_id: 'small', provider_instance: 'east', validation_level: 'lenient' }),
    check: ({ valid }) => valid,
  },
  validate_template_for_providers: {
    input: () => ({ template_id: 'small', provider_instances: ['east', 'west'] }),
    check: ({ incompatible_providers }) => incompatible_providers[0] === 'west',
  },
  sync_and_get_request: {
    input: ({ request_id }) => ({ request_id, long: true }),
    check: ({ machines }) => machines.length === 2,
  },
  get_requests: {
    input: ({ request_id }) => ({ request_ids: [request_id, 'req-none'], long: true }),
    check: ({ requests: [{ machines }], not_found }) => machines.length === 2 && not_found[0] === 'req-none',
  },
  get_request_provider: {
    input: ({ request_id }) => ({ request_id }),
    check: ({ provider_instance }) => provider_instance === 'east',
  },
  get_request_summary: {
    input: ({ request_id }) => ({ request_id }),
    check: ({ delivered_count }) => delivered_count === 2,
  },
  explain_request: {
    input: ({ request_id }) => ({ request_id }),
    check: ({ because, attempts: [{ cloud_request_ids }] }) =>
      because === "All 2 machines were delivered by 'east'." && cloud_request_ids.length > 0,
    like: true,
  },
  plan_request: {
    input: () => ({ template_id: 'small', machine_count: 2 }),
    check: ({ accepted, order: [{ price }], budgets: [{ name, used, after }] }) =>
      accepted && price.source === 'catalogue' && name === 'all' && after === used + 2,
  },
  list_active_requests: {
    input: () => ({ all_resources: true, sort: 'created_at:asc', limit: 2 }),
    check: ({ requests, total_count }) => requests[0].status === 'completed' && total_count > 2,
  },
  sync_and_list_return_requests: { check: ({ count }) => count === 0 },
  list_machines: {
    input: ({ request_id }) => ({ request_id, all_resources: true, market: 'on-demand' }),
    check: ({ total_count, machines: [{ market, machine_type }] }) =>
      total_count === 2 && market === 'ondemand' && machine_type === 't3.small',
  },
  get_machine: {
    input: ({ machine_ids: [machine_id] }) => ({ machine_id }),
    check: ({ machine }) => machine.status === 'running',
  },
  get_machine_health: { input: ({ machine_ids: [machine_id] }) => ({ machine_id }), check: ({ healthy }) => healthy },
  get_active_machine_count: { check: ({ by_status }) => by_status.running > 2 },
  list_reclaimed_machines: {
    input: ({ machine_ids }) => ({ machine_ids }),
    check: ({ machines }) => machines.length === 0,
  },
  get_configuration: {
    input: () => ({ key: 'providers.0.config' }),
    check: ({ configuration }) => configuration.secret_access_key === '***',
  },
  list_providers: {
    input: () => ({ sort: 'name:desc' }),
    check: ({ total, providers: [{ statistics }] }) => total === 1 && statistics.total_requests === 2,
  },
  list_events: {
    input: ({ request_id }) => ({ request_id, type: ['request.created'], after: 0 }),
    cli: ({ request_id }) => ['--request-id', String(request_id), '--type', 'request.created', '--after', '0'],
    check: ({ events: [{ data }], gap }) => data.machine_count > 0 && gap === undefined,
  },
  get_request_timeline: {
    input: ({ request_id }) => ({ request_id }),
    check: ({ milestones, durations_ms, events }) =>
      milestones.all_ready !== null && durations_ms.returned === null && events[0].type === 'request.created',
  },
  list_capacity: {
    input: () => ({ template_id: 'fleet', state: 'free' }),
    check: ({ total_count, offers: [{ machine_type, market, template_ids }] }) =>
      total_count === 2 && machine_type === 't3.medium' && market === 'ondemand' && template_ids[0] === 'fleet',
  },
  list_budgets: {
    check: ({ budgets: [{ name, limits, reserved }] }) =>
      name === 'all' && limits.length === 2 && reserved.machines > 2 && reserved.vcpus === 2 * reserved.machines,
  },
  list_brokers: { check: ({ brokers: [{ status, serves }] }) => status === 'live' && serves.length === 1 },
  get_overview: {
    check: ({ machines, open_returns, providers: [{ allocated }] }) =>
      machines.running > 2 && open_returns === 0 && allocated > 2,
  },
  get_provider_metrics: {
    input: () => ({ provider_instance: 'east' }),
    // Each process counts the calls of its own loop.
    check: ({ providers }) => providers.length === 1 && providers[0].provider_instance === 'east',
    like: true,
  },
  end_orphans: {
    input: () => ({ provider_instance: 'east', ids: ['i-0'] }),
    check: ({ count, not_found: [id] }) => count === 0 && id === 'i-0',
  },
  list_orphans: { check: ({ count }) => count === 0 },
  get_provider: { input: () => ({ provider_name: 'east' }), check: ({ name }) => name === 'east' },
  check_provider: {
    input: () => ({ provider_name: 'east' }),
    check: ({ name, answered, status }) => name === 'east' && answered && status === 'healthy',
  },
  discover_provider: {
    input: () => ({ provider_name: 'east' }),
    check: ({ networks: [{ is_default }], images }) => is_default && images.length === 6,
  },
  get_provider_health: { check: ({ status, healthy }) => status === 'healthy' && healthy === 1 },
  get_provider_capabilities: {
    input: () => ({ provider_name: 'east' }),
    check: ({ supported_apis }) => supported_apis.length === 2,
  },
  validate_provider_configuration: {
    input: () => ({ providers: [{ name: 'west', type: 'cloud', config: { cloud_max_retries: 99 } }] }),
    check: ({ valid, providers: [{ errors }] }) => !valid && errors.length === 1,
  },
  validate_provider_environment: {
    input: () => ({
      provider_type: 'cloud',
      environment_variables: { MUSTER_CLOUD_REGION: 'eu-west-1', MUSTER_CLOUD_CLOUD_MAX_RETRIES: '99' },
    }),
    check: ({ environment_variables: { invalid } }) => invalid.length === 1,
  },
  test_provider_selection: {
    input: () => ({ template_id: 'small', machine_count: 3, request_id: 'req-1' }),
    check: ({ provider_instance }) => provider_instance === 'east',
  },
  get_usage: {
    input: () => ({ from: '2026-01-01', to: '2026-01-02', group_by: ['machine_type', 'market'] }),
    check: ({ rows, to }) => rows.length === 0 && to === '2026-01-02',
  },
  // From here on each interface changes something.
  refresh_templates: { check: ({ templateCount }) => templateCount === 3, like: true },
  create_template: {
    input: ({ own }) => ({ template_id: own, ...template }),
    cli: ({ template_id, ...rest }) => [template_id, ...settings(rest)],
    effect: ({ templateId }) => [`/templates/${templateId}`, ({ template }) => template?.max_instances === 7],
  },
  update_template: {
    input: ({ own }) => ({ template_id: own, name: 'Mine', max_instances: null }),
    cli: ({ template_id, ...rest }) => [template_id, ...settings(rest)],
    effect: ({ templateId }) => [
      `/templates/${templateId}`,
      ({ template: { name, max_instances } }) => name === 'Mine' && max_instances === undefined,
    ],
  },
  delete_template: {
    input: ({ own }) => ({ template_id: own }),
    effect: ({ templateId }) => [`/templates/${templateId}`, ({ detail }) => detail !== undefined],
  },
  create_request: {
    input: () => ({
      template_id: 'small',
      machine_count: 1,
      additional_data: { job: { id: 7 } },
      tags: { a: '1' },
      timeout: 60,
      lease: 3_600,
    }),
    check: ({ status, machine_count }) => status === 'pending' && machine_count === 1,
    effect: ({ request_id }) => [`/requests/${request_id}`, ({ additional_data }) => additional_data.job.id === 7],
  },
  create_selected_request: {
    input: () => ({
      template_id: 'small',
      machine_count: 1,
      provider_preference: { type: 'explicit', provider_instance: 'east' },
    }),
    check: ({ provider_selection }) => provider_selection.provider_instance === 'east',
  },
  sync_request: { input: ({ request_id }) => ({ request_id }), check: ({ machines }) => machines.length === 2 },
  populate_machine_ids: {
    input: ({ request_id, machine_ids }) => ({ request_id, machine_ids }),
    check: ({ unverified }) => unverified.length === 0,
  },
  cancel_request: {
    input: ({ slow }) => ({ request_id: slow(), reason: 'a test' }),
    check: ({ status }) => status === 'in_progress',
    effect: ending('cancelled'),
  },
  complete_request: {
    input: ({ slow }) => ({ request_id: slow() }),
    check: ({ status }) => status === 'in_progress',
    effect: ending('failed'),
  },
  update_request_status: {
    input: ({ slow }) => ({ request_id: slow(), status: 'cancelled', reason: 'a test' }),
    check: ({ status }) => status === 'in_progress',
    effect: ending('cancelled'),
  },
  extend_machines: {
    input: ({ mine }) => ({ machine_ids: [mine], seconds: 3_600 }),
    check: ({ machines: [machine], released }) => Date.parse(machine.expires_at) > 0 && released.length === 0,
    like: true,
  },
  hold_machines: {
    input: ({ mine }) => ({ machine_ids: [mine], seconds: 0, reason: 'a test' }),
    check: ({ machines: [{ held_until, expires_at }] }) => held_until === null && expires_at !== null,
    like: true,
  },
  create_return_request: {
    input: ({ mine }) => ({ machine_ids: [mine], timeout: 60 }),
    check: ({ machine_ids }) => machine_ids.length === 1,
    effect: ending('completed'),
  },
  cleanup_old_requests: {
    input: () => ({ older_than_days: 30 }),
    check: ({ deleted_requests }) => deleted_requests === 0,
  },
  cleanup_terminated_machines: {
    input: () => ({ older_than_days: 0.5 }),
    check: ({ deleted_machines }) => deleted_machines === 0,
  },
  cleanup_all_resources: {
    input: () => ({ confirm: true, include_pending: true }),
    cli: () => ['--force', '--include-pending'],
    like: true,
  },
};
