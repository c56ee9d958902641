import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { killServer, makeMcpPlace, overStdio } from './support.ts';

test('every tool answers with an envelope that its schema allows', async (t) => {
  const place = await makeMcpPlace();
  const agent = await overStdio(place);
  t.teardown(async () => (await agent.client.close(), await killServer(place), place.close()));
  // From here on the client checks every answer.
  await agent.client.listTools();
  const { request_id, machines } = await agent.machines('small', 1);
  const [{ machine_id }] = machines;
  const template = { template_id: 'made', image_id: 'ami-1', provider_api: 'RunInstances', machine_type: 't3.small' };

  const calls: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    get_template: { template_id: 'small', include_source: true },
    create_template: template,
    update_template: { template_id: 'made', configuration: { name: 'Made' } },
    delete_template: { template_id: 'made' },
    validate_template: template,
    validate_template_for_provider: { template_id: 'small', provider_instance: 'east' },
    validate_template_for_providers: { template_id: 'small' },
    create_request: { template_id: 'small', machine_count: 1, request_id: 'req-mine' },
    create_selected_request: { template_id: 'small', machine_count: 1, request_id: 'req-chosen' },
    get_request_provider: { request_id },
    create_return_request: { machine_ids: [machine_id] },
    cancel_request: { request_id: 'req-mine', reason: 'no longer needed' },
    sync_and_get_request: { request_id, long: true },
    get_request_summary: { request_id },
    sync_request: { request_id },
    complete_request: { request_id: 'req-chosen' },
    update_request_status: { request_id: 'req-chosen', status: 'cancelled' },
    populate_machine_ids: { request_id },
    get_machine: { machine_id },
    get_machine_health: { machine_id },
    list_machines: { all_resources: true },
    list_reclaimed_machines: { machine_ids: [machine_id] },
    cleanup_all_resources: { confirm: true, include_pending: true },
    get_provider: { provider_name: 'east' },
    get_provider_capabilities: { provider_name: 'east' },
    validate_provider_configuration: { providers: [{ name: 'west', type: 'cloud' }] },
    validate_provider_environment: { provider_type: 'cloud', environment_variables: { MUSTER_CLOUD_REGION: 'us-east-1' } },
    test_provider_selection: { template_id: 'small' },
  };
  /** What a request or a cancel meets depends on how fast the cloud was. */
  const mayBeLate = new Set(['cancel_request', 'complete_request', 'update_request_status']);

  for (const { name } of operations) {
    const envelope = await agent.call(name, calls[name] ?? {});
    if (mayBeLate.has(name) && envelope.error) t.is(envelope.error.code, 'CONFLICT', name);
    else {
      t.deepEqual(Object.keys(envelope), ['success', 'data', 'tool'], JSON.stringify(envelope));
      t.is(envelope.tool, name);
    }
  }
  for (const { name, input } of operations) {
    const required: readonly string[] = (input as { readonly required?: readonly string[] }).required ?? [];
    if (required.length === 0) continue;
    const { error } = await agent.call(name);
    t.deepEqual(Object.keys(error).slice(0, 5), ['type', 'message', 'tool', 'arguments', 'code'], name);
    for (const field of required)
      t.true(error.message.includes(`/${field}:`), `${name} names everything that is missing: ${error.message}`);
  }
});
