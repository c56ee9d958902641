import { EC2Client } from '@aws-sdk/client-ec2';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { readFile, writeFile } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import type { Log } from '../../../core/index.ts';
import { bootBroker, makePlace, type BootOptions, type PlaceOptions } from '../../support/boot-broker.ts';

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/events';
const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'test' };

/** Requests at rest stay claimed, because a request is observed when it is claimed. */
const rarely = {
  observe_resting_ms: 3_600_000,
  observe_noticed_ms: 3_600_000,
  hold_ms: 3_600_000,
  sweep_first_ms: 3_600_000,
};

const templates = ['report', 'ignore'].map((on_rebalance) => ({
  template_id: on_rebalance,
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 't3.small',
  price_type: 'spot',
  subnet_ids: ['subnet-1'],
  ...(on_rebalance === 'report' ? {} : { on_rebalance }),
}));

/** A place whose provider instance reads a queue of the simulated cloud. */
export async function placeWithQueue(
  t: ExecutionContext,
  knobs: KnobChange = {},
  { config, ...options }: Partial<PlaceOptions> & { readonly config?: object } = {},
) {
  const place = await makePlace({ templates, ...options, knobs: { queues: { names: ['events'] }, ...knobs } });
  t.teardown(place.close);
  const { simulator } = place;
  const configured = {
    name: 'east',
    type: 'cloud',
    config: {
      endpoint_url: simulator.url,
      access_key_id: 'AKIATEST',
      secret_access_key: 'test',
      interruption_queue: { url: QueueUrl },
      ...config,
    },
  };
  const file = `${place.directory}/muster.config.json`;
  const configuration = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...configuration, providers: [configured] }));
  const connection = { endpoint: simulator.url, region: 'us-east-1', credentials };
  const sqs = new SQSClient({ ...connection, useQueueUrlAsEndpoint: false });
  const ec2 = new EC2Client(connection);
  t.teardown(() => {
    sqs.destroy();
    ec2.destroy();
  });
  return {
    place,
    ec2,
    send: (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody })),
    /** Puts many messages into the queue at once. */
    put(bodies: readonly string[]): void {
      for (const state of simulator.state.regions()) {
        const { now, random } = state.contextAt(simulator.clock.now());
        for (const body of bodies) state.queues.get('events')?.send(body, now, random);
      }
    },
    /** Messages of the queue that no receiver has deleted yet. */
    left: () => {
      const [state] = [...simulator.state.regions()].filter(({ region }) => region === 'us-east-1');
      const { visible = 0, hidden = 0 } = state?.queues.get('events')?.counts(simulator.clock.now()) ?? {};
      return visible + hidden;
    },
  };
}

/** A broker whose machines at rest are observed once in an hour: what it learns earlier comes from the queue. */
export async function openWithQueue(
  t: ExecutionContext,
  knobs: KnobChange = {},
  more: Partial<BootOptions> & { readonly config?: object } = {},
) {
  const { config, ...options } = more;
  const warnings: string[] = [];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (_fields, text) => void warnings.push(text),
    error: (_fields, text) => void warnings.push(text),
  };
  const { place, ...queue } = await placeWithQueue(t, knobs, { ...options, ...(config ? { config } : {}) });
  const boot = () => bootBroker({ place, log, settings: rarely, ...options });
  const broker = await boot();
  t.teardown(broker.close);
  const machines = async (id: string, from = broker): Promise<any[]> => {
    const { body } = await from.call('GET', `/requests/${id}/status`);
    return (body.requests ?? [body])[0].machines ?? [];
  };
  return {
    ...broker,
    boot,
    broker,
    ...queue,
    warnings,
    machines,
    /** Orders machines and waits until the request is complete. */
    async order(template_id: string, machine_count: number): Promise<{ id: string; ids: readonly string[] }> {
      const { body } = await broker.call('POST', '/machines/request', { template_id, machine_count });
      const id: string = body.request_id;
      await broker.until(async () => {
        const { body: now } = await broker.call('GET', `/requests/${id}/status`);
        return (now.requests ?? [now])[0].status === 'completed';
      });
      return { id, ids: (await machines(id)).map(({ machine_id }) => machine_id) };
    },
    reclaimed: async (machine_ids: readonly string[]): Promise<any[]> =>
      (await broker.call('POST', '/machines/reclaimed', { machine_ids })).body.machines,
    events: async (type: string): Promise<any[]> => {
      return [...(await broker.broker.store.find('event', { where: { type } }))];
    },
    counts: async (): Promise<Record<string, number>> => {
      const families: any = await broker.broker.measures();
      const all = families.flat(2).filter(({ name }: any) => name === 'muster_provider_notices_total');
      return Object.fromEntries(
        all.flatMap(({ values }: any) =>
          values.map(({ labels, value }: any) => [`${labels.kind} ${labels.outcome}`, value]),
        ),
      );
    },
  };
}

/** An event as EventBridge sends it. */
export const eventOf = (type: string, detail: object, time = new Date().toISOString()): string =>
  JSON.stringify({ version: '0', 'detail-type': type, source: 'aws.ec2', time, detail });

/** The message that a machine has another state. */
export const stateEvent = (id: string, state: string): string =>
  eventOf('EC2 Instance State-change Notification', { 'instance-id': id, state });

/** The ways to start machines. */
export const ways = [
  { provider_api: 'RunInstances' },
  { provider_api: 'EC2Fleet', fleet_type: 'instant' },
  { provider_api: 'EC2Fleet', fleet_type: 'request' },
  { provider_api: 'EC2Fleet', fleet_type: 'maintain' },
  { provider_api: 'SpotFleet', fleet_type: 'request' },
  { provider_api: 'SpotFleet', fleet_type: 'maintain' },
  { provider_api: 'ASG' },
];

/** Options for a broker whose template `pool` starts Spot machines in one of these ways. */
export const poolOf = (way: (typeof ways)[number]): Partial<BootOptions> => ({
  templates: [
    {
      template_id: 'pool',
      ...way,
      image_id: 'ami-1',
      machine_types: { 't3.small': 1, 't3.medium': 1 },
      subnet_ids: ['subnet-1'],
      price_type: 'spot',
    },
  ],
  configuration: {
    plugins: [
      'cloud',
      'cloud-runinstances',
      'cloud-ec2fleet',
      'cloud-spotfleet',
      'cloud-asg',
      'default-format',
      'storage-sqlite',
    ],
  },
});

/** Fleets and groups that react fast. */
export const quick = {
  fleets: { start_ms: 20, launch_ms: 50, retry_ms: 200, modify_ms: 50, notice_ms: 100, history_ms: 0 },
  groups: { react_ms: 30, health_ms: 100, retry_ms: 200, delete_ms: 50 },
};
