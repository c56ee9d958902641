import { randomBytes } from 'node:crypto';
import { EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { TestFn } from 'ava';
import type { Clock, Plugin } from '../../../core/index.ts';
import cloud from '../../../plugins/cloud/index.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import { createSimulator, type Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { accountOf } from '../../../plugins/cloud-simulator/wire/caller.ts';
import type { NoticeWorld, ProviderKit, ProviderWorld } from '../../../plugin-testkit/index.ts';

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/events';

/** A simulated cloud whose time stands still until the kit moves it. */
export interface CloudWorld extends ProviderWorld {
  readonly simulator: Simulator;
  readonly config: {
    readonly endpoint_url: string;
    readonly access_key_id: string;
    readonly secret_access_key: string;
  };
}

export interface CloudConformance {
  readonly test: TestFn;
  readonly plugin: Plugin;
  readonly about: string;
  readonly template?: Readonly<Record<string, unknown>>;
  /** Whether the notices of the provider type are checked with this API. */
  readonly notices?: boolean;
  /** The action that launches. */
  readonly action: string;
}

/** The kit for an API of the cloud: the real SDK over HTTP, against a simulated cloud of its own for each check. */
export function cloudKit({
  test,
  plugin,
  about,
  action,
  notices = false,
  template = {},
}: CloudConformance): ProviderKit<CloudWorld> {
  type Fault = {
    readonly effect: 'execute' | 'skip';
    readonly then: 'drop' | 'error' | 'hang';
    readonly code?: string;
    readonly action?: string;
  };
  const fault =
    (rule: Fault) =>
    ({ simulator }: CloudWorld) =>
      void simulator.setKnobs({ faults: [{ action, ...rule }] });
  const refused = (code: string) => fault({ effect: 'skip', then: 'error', code });
  const room = ({ simulator }: CloudWorld, count: number) => void simulator.setKnobs({ capacity: [{ count }] });
  return {
    test,
    plugin: [cloud, plugin],
    about,
    async open() {
      const clock = standingClock();
      const simulator = createSimulator({
        clock,
        knobs: { boot_ms: 1_000, shutdown_ms: 1_000, ...(notices ? { queues: { names: ['events'] } } : {}) },
      });
      const endpoint_url = await simulator.listen();
      // Waits of the plugin pass at once; the cloud's time is moved by `settle`.
      const still: Clock = { now: () => clock.now(), monotonic: () => clock.now(), sleep: async () => {} };
      return {
        simulator,
        clock: still,
        config: {
          endpoint_url,
          access_key_id: 'AKIATEST000000000000',
          secret_access_key: 'a-secret-that-nobody-sees',
          ...(notices ? { interruption_queue: { url: QueueUrl } } : {}),
        },
        template: { image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: ['subnet-1'], ...template },
      };
    },
    close: ({ simulator }) => simulator.close(),
    settle: ({ simulator }) => simulator.advance(10_000),
    living({ simulator }) {
      const { live, untagged } = simulator.ledger();
      return [...Object.values(live).flat(), ...untagged];
    },
    room,
    loseAnswer: fault({ effect: 'execute', then: 'drop' }),
    hang: fault({ action: '*', effect: 'skip', then: 'hang' }),
    endMachine,
    notices: notices && queue,
    faults: {
      capacity: (world) => room(world, 0),
      quota: refused('LimitExceeded'),
      throttled: refused('RequestLimitExceeded'),
      invalid: refused('InvalidParameterValue'),
      credentials: refused('InvalidClientTokenId'),
      unavailable: refused('ResourceContention'),
    },
  };
}

/** A queue that EventBridge fills. */
const queue: NoticeWorld<CloudWorld> = {
  announce(world, at) {
    const id = `i-${randomBytes(8).toString('hex')}`;
    put(
      world,
      JSON.stringify({
        'detail-type': 'EC2 Instance State-change Notification',
        source: 'aws.ec2',
        time: at,
        detail: { 'instance-id': id, state: 'terminated' },
      }),
    );
    return id;
  },
  announceMalformed: (world) => put(world, '{"detail-type": "EC2 Inst'),
  fail: ({ simulator }) =>
    void simulator.setKnobs({
      faults: [{ action: 'ReceiveMessage', effect: 'skip', then: 'error', code: 'AccessDenied' }],
    }),
  recover: ({ simulator }) => void simulator.setKnobs({ faults: [] }),
};

function put({ config, simulator }: CloudWorld, body: string): void {
  const now = simulator.clock.now();
  const state = simulator.state.region(accountOf(config.access_key_id), 'us-east-1');
  if (!state.queues.get('events')) state.queues.create('events', now);
  state.queues.get('events')?.send(body, now, state.contextAt(now).random);
}

/** As a person ends a machine in the console. */
async function endMachine({ config }: CloudWorld, id: string): Promise<void> {
  const { endpoint_url: endpoint, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = config;
  const ec2 = new EC2Client({ endpoint, region: 'us-east-1', credentials: { accessKeyId, secretAccessKey } });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  ec2.destroy();
}
