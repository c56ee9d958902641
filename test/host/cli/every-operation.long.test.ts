import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { makePlace, type Place } from '../../support/boot-broker.ts';
import { runCli } from '../../support/run-cli.ts';

interface Step {
  readonly operation: string;
  /** `$request` and the like stand for what earlier steps answered. */
  readonly args: readonly string[];
  readonly code?: number;
  /** How long machines take to boot from here on. */
  readonly boot_ms?: number;
  /** Of the answer as JSON. */
  check?(answer: any): boolean;
  /** What later steps need of it. */
  keep?(answer: any): Readonly<Record<string, string>>;
}

const ids = ({ machines }: any) => machines.map(({ machine_id }: any) => machine_id).join(',');

const steps: readonly Step[] = [
  {
    operation: 'list_templates',
    args: ['templates', 'list', '--provider-api', 'RunInstances'],
    check: ({ count }) => count === 2,
  },
  {
    operation: 'get_template',
    args: ['templates', 'show', 'small', '--include-source'],
    check: (a) => a.template.source_info.source_file === 'templates.json',
  },
  {
    operation: 'create_template',
    args: [
      'templates',
      'create',
      'mine',
      '--file',
      '$directory/mine.yaml',
      '--set',
      'max_instances=7',
      '--set',
      'tags.cost=5',
    ],
    check: ({ templateId }) => templateId === 'mine',
  },
  {
    operation: 'update_template',
    args: ['templates', 'update', 'mine', '--set', 'name=42', '--set', 'key_name=null'],
  },
  {
    operation: 'validate_template',
    args: ['templates', 'validate', '--file', '$directory/templates.json'],
    check: (all) => all.length === 3 && all[0].valid,
  },
  {
    operation: 'validate_template',
    args: ['templates', 'validate', '--set', 'template_id=x', '--set', 'max_instances=y'],
    code: 4,
  },
  {
    operation: 'validate_template_for_provider',
    args: ['templates', 'validate-for', 'mine', 'east', '--validation-level', 'lenient'],
    check: ({ valid }) => valid,
  },
  {
    operation: 'validate_template_for_providers',
    args: ['templates', 'validate-for-all', 'mine', 'east,west'],
    check: ({ incompatible_providers: [bad] }) => bad === 'west',
  },
  {
    operation: 'refresh_templates',
    args: ['templates', 'refresh'],
    check: ({ templateCount }) => templateCount === 4,
  },
  {
    operation: 'get_template',
    args: ['templates', 'show', 'mine'],
    check: ({ template: { name, tags, max_instances, key_name } }) =>
      name === '42' && tags.cost === '5' && max_instances === 7 && key_name === undefined,
  },
  { operation: 'delete_template', args: ['templates', 'delete', 'mine'] },
  {
    operation: 'create_request',
    args: [
      'requests',
      'create',
      'small',
      '2',
      '--tags',
      'a=1',
      '--tags',
      'b=c=d',
      '--additional-data',
      '{"job":{"id":7}}',
      '--lease',
      '3600',
      '--wait',
    ],
    check: ({ status, additional_data, machines }) =>
      status === 'completed' && additional_data.job.id === 7 && machines.length === 2,
    keep: (answer) => ({ request: answer.request_id, machines: ids(answer) }),
  },
  {
    operation: 'create_selected_request',
    args: [
      'requests',
      'create-selected',
      'small',
      '--max-number',
      '1',
      '--provider-preference',
      'type=explicit',
      '--provider-preference',
      'provider_instance=east',
    ],
    check: ({ provider_selection, provider_instance = provider_selection.provider_instance }) =>
      provider_instance === 'east',
    keep: ({ request_id }) => ({ other: request_id }),
  },
  {
    operation: 'get_request_provider',
    args: ['requests', 'provider', '$request'],
    check: ({ provider_instance }) => provider_instance === 'east',
  },
  {
    operation: 'sync_and_get_request',
    args: ['requests', 'status', '$request'],
    check: ({ machines }) => machines.length === 2,
  },
  {
    operation: 'sync_and_get_request',
    args: ['requests', 'status', '$request', '--long'],
    check: ({ machines }) => machines.length === 2,
  },
  {
    operation: 'sync_and_get_request',
    args: ['requests', 'status', '$request', '--no-long'],
    check: ({ machines }) => machines === undefined,
  },
  {
    operation: 'sync_and_get_request',
    args: ['requests', 'show', '$request'],
    check: ({ machines }) => machines.length === 2,
  },
  {
    operation: 'sync_and_get_request',
    args: ['requests', 'watch', '$request'],
    check: ({ status, machines }) => status === 'completed' && machines.length === 2,
  },
  {
    operation: 'list_active_requests',
    args: ['requests', 'list', '--status', 'completed', '--limit', '5', '--sort', 'created_at:asc'],
    check: ({ requests }) => requests.length >= 1,
  },
  {
    operation: 'get_requests',
    args: ['requests', 'get', '$request', 'req-none', '--long'],
    check: ({ requests, not_found }) => requests[0].machines.length === 2 && not_found[0] === 'req-none',
  },
  {
    operation: 'get_request_summary',
    args: ['requests', 'summary', '$request'],
    check: ({ delivered_count }) => delivered_count === 2,
  },
  {
    operation: 'explain_request',
    args: ['requests', 'explain', '$request'],
    check: ({ because }) => because === "All 2 machines were delivered by 'east'.",
  },
  {
    operation: 'plan_request',
    args: ['requests', 'plan', 'small', '1'],
    check: ({ accepted, order }) => accepted && order.length > 0,
  },
  {
    operation: 'list_events',
    args: ['events', '--request-id', '$request', '--after', '0'],
    check: ({ events: [first] }) => first.type === 'request.created' && first.actor.interface === 'cli',
  },
  {
    operation: 'get_request_timeline',
    args: ['requests', 'timeline', '$request'],
    check: ({ milestones }) => milestones.all_ready !== null,
  },
  { operation: 'list_capacity', args: ['capacity', 'list', '--state', 'free'], check: ({ count }) => count === 3 },
  { operation: 'sync_request', args: ['requests', 'sync', '$request'] },
  {
    operation: 'populate_machine_ids',
    args: ['requests', 'populate', '$request', '$machines'],
    check: ({ unverified }) => unverified.length === 0,
  },
  // One that is under way for longer than anybody waits here.
  {
    operation: 'create_request',
    boot_ms: 60_000,
    args: ['requests', 'create', '--template-id', 'small', '--count', '1', '--wait', '--wait-timeout', '0.3'],
    code: 1,
    keep: ({ request_id }) => ({ slow: request_id }),
  },
  { operation: 'complete_request', args: ['requests', 'complete', '$slow', '--wait'], code: 1 },
  {
    operation: 'create_request',
    args: ['requests', 'create', 'small', '1', '--wait', '--wait-timeout', '0.3'],
    code: 1,
    keep: ({ request_id }) => ({ slow: request_id }),
  },
  {
    operation: 'cancel_request',
    args: ['requests', 'cancel', '$slow', '--reason', 'a test', '--wait'],
    check: ({ status }) => status === 'cancelled',
  },
  { operation: 'update_request_status', boot_ms: 50, args: ['requests', 'set-status', '$slow', 'completed'], code: 4 },
  {
    operation: 'list_machines',
    args: ['machines', 'list', '--request-id', '$request'],
    check: ({ total_count }) => total_count === 2,
    keep: ({ machines: [{ machine_id }] }) => ({ machine: machine_id }),
  },
  {
    operation: 'get_machine',
    args: ['machines', 'show', '$machine'],
    check: ({ machine }) => machine.status === 'running',
  },
  { operation: 'get_machine_health', args: ['machines', 'health', '$machine'], check: ({ healthy }) => healthy },
  {
    operation: 'get_usage',
    args: ['usage', '--group-by', 'template_id'],
    check: ({ rows: [row] }) => row.group.template_id === 'small' && row.machine_seconds > 0,
  },
  {
    operation: 'get_active_machine_count',
    args: ['machines', 'count'],
    check: ({ by_status }) => by_status.running >= 2,
  },
  {
    operation: 'list_reclaimed_machines',
    args: ['machines', 'reclaimed', '$machine', '--names', 'a,b'],
    check: ({ machines }) => machines.length === 0,
  },
  {
    operation: 'extend_machines',
    args: ['machines', 'extend', '$machine', '--seconds', '60'],
    check: ({ machines: [{ expires_at }] }) => Date.parse(expires_at) > 0,
  },
  {
    operation: 'hold_machines',
    args: ['machines', 'hold', '$machine', '--seconds', '60', '--reason', 'a test'],
    check: ({ machines: [{ held_until }] }) => Date.parse(held_until) > 0,
  },
  { operation: 'create_return_request', args: ['machines', 'return', '$machine'], code: 4 },
  {
    operation: 'hold_machines',
    args: ['machines', 'hold', '$machine', '--seconds', '0', '--reason', 'done'],
    check: ({ machines: [{ held_until }] }) => held_until === null,
  },
  {
    operation: 'create_return_request',
    args: ['machines', 'return', '$machine', '--timeout', '60', '--wait'],
    check: ({ status, machine_ids }) => status === 'completed' && machine_ids.length === 1,
    keep: ({ request_id }) => ({ return: request_id }),
  },
  {
    operation: 'sync_and_list_return_requests',
    args: ['requests', 'list-returns'],
    check: ({ count }) => count === 0,
  },
  {
    operation: 'cleanup_all_resources',
    args: ['machines', 'return-all', '--force', '--include-pending', '--wait'],
    check: ({ machine_count, requests: [gone] }) => machine_count === 2 && gone.status === 'completed',
  },
  {
    operation: 'cleanup_terminated_machines',
    args: ['machines', 'cleanup', '--older-than-days', '0'],
    check: ({ deleted_machines }) => deleted_machines >= 3,
  },
  {
    operation: 'cleanup_old_requests',
    args: ['requests', 'cleanup', '--older-than-days', '0.0'],
    check: ({ deleted_requests }) => deleted_requests >= 2,
  },
  {
    operation: 'get_configuration',
    args: ['config', 'show', 'providers.0.config.access_key_id'],
    check: ({ configuration }) => configuration === '***' || configuration === 'AKIATEST',
  },
  {
    operation: 'list_providers',
    args: ['providers', 'list', '--sort', 'name:desc'],
    check: ({ total }) => total === 1,
  },
  {
    operation: 'list_budgets',
    args: ['budgets', 'list'],
    check: ({ budgets }) => Array.isArray(budgets),
  },
  {
    operation: 'list_brokers',
    args: ['brokers', 'list'],
    check: ({ brokers }) => Array.isArray(brokers),
  },
  { operation: 'get_overview', args: ['brokers', 'overview'], check: ({ open }) => Array.isArray(open) },
  {
    operation: 'get_provider_metrics',
    args: ['providers', 'metrics'],
    check: ({ providers }) => providers.length === 1,
  },
  { operation: 'list_orphans', args: ['providers', 'orphans'], check: ({ orphans }) => orphans.length === 0 },
  {
    operation: 'end_orphans',
    args: ['providers', 'end-orphans', 'east', 'i-0'],
    check: ({ not_found }) => not_found.length === 1,
  },
  { operation: 'get_provider', args: ['providers', 'show', 'east'], check: ({ name }) => name === 'east' },
  {
    operation: 'check_provider',
    args: ['providers', 'check', 'east'],
    check: ({ answered, status }) => answered && status === 'healthy',
  },
  {
    operation: 'discover_provider',
    args: ['providers', 'discover', 'east'],
    check: ({ subnets, incomplete }) => subnets.length > 0 && incomplete.length === 0,
  },
  { operation: 'get_provider_health', args: ['providers', 'health'], check: ({ healthy }) => healthy === 1 },
  {
    operation: 'get_provider_capabilities',
    args: ['providers', 'capabilities', '--name', 'east'],
    check: ({ provider_instance }) => provider_instance === 'east',
  },
  {
    operation: 'validate_provider_configuration',
    args: ['providers', 'validate', '--file', '$directory/muster.config.json'],
    check: ({ valid }) => valid,
  },
  {
    operation: 'validate_provider_environment',
    args: ['providers', 'validate-env', 'cloud', '--environment-variables', 'MUSTER_CLOUD_CLOUD_MAX_RETRIES=99'],
    code: 4,
    check: ({ environment_variables: { invalid } }) => invalid.length === 1,
  },
  {
    operation: 'test_provider_selection',
    args: ['providers', 'select', 'small', '--machine-count', '3'],
    check: ({ provider_instance }) => provider_instance === 'east',
  },
];

test('every operation does from the command line what it says, without a server', async (t) => {
  t.deepEqual(
    [...new Set(steps.map(({ operation }) => operation))].toSorted(),
    operations.map(({ name }) => name as string).toSorted(),
  );
  const place = await makePlace();
  t.teardown(() => place.close());
  await walk(place, (name, seen) => t.true(seen, name));
});

async function walk(place: Place, see: (name: string, seen: boolean) => void): Promise<void> {
  writeFileSync(
    join(place.directory, 'mine.yaml'),
    'templateId: other\nimage_id: ami-1\nprovider_api: RunInstances\nmachine_type: t3.small\nkey_name: ops\n',
  );
  const kept: Record<string, string> = { directory: place.directory };
  const common = ['--config', join(place.directory, 'muster.config.json'), '--no-server', '--output', 'json'];
  for (const { operation, args, code = 0, boot_ms, check, keep } of steps) {
    if (boot_ms) place.simulator.setKnobs({ boot_ms });
    const filled = args.map((arg) => arg.replace(/\$(\w+)/, (_, name: string) => kept[name] ?? ''));
    const ran = await runCli([...filled, ...common]);
    see(`${operation}: ${ran.code} ${ran.out}${ran.err}`, ran.code === code);
    if (code === 4 && ran.out === '') continue;
    const answer = JSON.parse(ran.out) as unknown;
    if (check) see(`${operation}: ${ran.out}`, check(answer));
    Object.assign(kept, keep?.(answer));
  }
}
