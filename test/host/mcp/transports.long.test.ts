import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { startBroker, type Place } from '../../support/boot-broker.ts';
import { dataOf, killServer, makeMcpPlace, overHttp, overStdio, serveHttp, type Agent } from './support.ts';

interface Way {
  readonly name: string;
  open(place: Place): Promise<{ readonly agent: Agent; close(): Promise<unknown> }>;
}

const ways: readonly Way[] = [
  {
    name: 'over stdio, without a server',
    async open(place) {
      const agent = await overStdio(place);
      return { agent, close: async () => (await agent.client.close(), killServer(place)) };
    },
  },
  {
    name: 'over HTTP, by a process of its own beside a server',
    async open(place) {
      const [server, serving] = await Promise.all([startBroker({ place }), serveHttp(place)]);
      const agent = await overHttp(serving.url);
      return { agent, close: async () => (await agent.client.close(), await serving.stop(), server.stop()) };
    },
  },
  {
    name: 'over HTTP, at the server itself',
    async open(place) {
      const server = await startBroker({ place });
      const agent = await overHttp(`${server.url}/mcp`);
      return { agent, close: async () => (await agent.client.close(), server.stop()) };
    },
  },
];

for (const way of ways) {
  test(`${way.name}: the tools are the operations; machines are requested, waited for and given back`, async (t) => {
    const place = await makeMcpPlace({ scheduler: 'hostfactory' });
    const { agent, close } = await way.open(place);
    t.teardown(async () => (await close(), place.close()));
    t.is(agent.client.getServerVersion()?.name, 'muster');
    t.regex(
      agent.client.getInstructions() ?? '',
      /create_request.*sync_and_get_request.*every 2 seconds[^]*create_return_request/,
    );
    const { tools } = await agent.client.listTools();
    t.deepEqual(
      tools.map(({ name }) => name),
      operations.map(({ name }) => name),
    );

    const asked = await agent.call('create_request', { template_id: 'small', machineCount: 2 });
    t.like(asked, { success: true, tool: 'create_request', data: { status: 'pending', machine_count: 2 } });
    const { status, machines } = await agent.ended(asked.data.request_id);
    t.is(status, 'completed', 'our own words, whatever the scheduler');
    t.is(machines.length, 2);
    const { data } = await agent.call('create_return_request', {
      machine_ids: machines.map((each: any) => each.machine_id),
    });
    t.is((await agent.ended(data.request_id)).status, 'completed');
    t.deepEqual(place.simulator.ledger().live, {});

    const failed = await agent.call('get_template', { template_id: 'smal' });
    t.like(failed.error, {
      type: 'NotFoundError',
      tool: 'get_template',
      arguments: { template_id: 'smal' },
      code: 'TEMPLATE_NOT_FOUND',
    });
    const { contents } = await agent.client.readResource({ uri: `muster://requests/${asked.data.request_id}` });
    t.like(JSON.parse((contents[0] as { text: string }).text), { status: 'completed', machine_count: 2 });
  });
}

test('agents at the same time share one server, which the first that needs it starts', async (t) => {
  const place = await makeMcpPlace();
  const agents = await Promise.all([overStdio(place), overStdio(place)]);
  t.teardown(async () => {
    await Promise.all(agents.map(({ client }) => client.close()));
    await killServer(place);
    await place.close();
  });
  t.is((await agents[0].call('get_active_machine_count')).data.active_count, 0);
  t.is(readServerPlace(dataOf(place)), undefined, 'a question starts no server');
  t.like(await agents[0].call('create_request', { template_id: 'small', machine_count: 0 }), {
    error: { code: 'INVALID_REQUEST' },
  });
  t.is(readServerPlace(dataOf(place)), undefined, 'neither does what is refused');
  const got = await Promise.all(agents.flatMap((agent) => [agent.machines('small', 1), agent.machines('small', 1)]));
  t.deepEqual(
    got.map(({ status }) => status),
    ['completed', 'completed', 'completed', 'completed'],
  );
  t.is(Object.keys(place.simulator.ledger().live).length, 4);
  t.is((await agents[1].call('get_active_machine_count')).data.active_count, 4);

  // The server goes: questions are answered from the store, and what leaves work starts another.
  const pid = readServerPlace(dataOf(place))?.pid;
  await killServer(place);
  const left = await agents[0].call('list_active_requests', { all_resources: true });
  t.is(left.data?.total_count, 4, JSON.stringify(left));
  const ids = got.flatMap(({ machines }) => machines.map((each: any) => each.machine_id));
  const { data } = await agents[1].call('create_return_request', { machine_ids: ids });
  t.is((await agents[0].ended(data.request_id)).status, 'completed');
  t.not(readServerPlace(dataOf(place))?.pid, pid);
});

test('when no server can be started, what was asked is stored and the failure says so', async (t) => {
  // An address that no machine has.
  const place = await makeMcpPlace({ configuration: { server: { host: '192.0.2.1', port: 0 } } });
  const agent = await overStdio(place);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const { error } = await agent.call('create_request', { template_id: 'small', machine_count: 1 });
  t.is(error.code, 'UNAVAILABLE');
  t.regex(error.message, /^req-[0-9a-f-]+ is stored, but nothing carries it out: .*192\.0\.2\.1/s);
  const [stored] = (await agent.call('list_active_requests')).data.requests;
  t.true(error.message.startsWith(stored.request_id));
});
