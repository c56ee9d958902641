import { Type } from 'typebox';
import {
  defineProviderApi,
  defineProviderType,
  type Capabilities,
  type Launch,
  type LaunchOrder,
  type MachineReport,
  type MachineType,
  type Market,
  type NoticeMessage,
  type Offer,
  type OfferTerms,
  type OwnedResource,
  ProviderFault,
  type Shortfall,
} from '../../core/index.ts';

interface ScriptedMachine {
  report: MachineReport;
  readonly token: string;
  readonly request_id: string;
  readonly attempt: number;
}

/** What the next launch does instead of succeeding. */
export type Script = (
  order: LaunchOrder<any, any>,
  cloud: ScriptedCloud,
) => Launch | ProviderFault | 'execute-then-lose';

/**
 * A cloud in a variable: for the paths of the life cycle that a real one takes too rarely. Machines are pending until
 * `boot` is called.
 */
export class ScriptedCloud {
  readonly machines = new Map<string, ScriptedMachine>();
  readonly orders: LaunchOrder<any, any>[] = [];
  readonly calls: string[] = [];
  /** About how many machines each observed attempt was asked. */
  readonly asked: number[] = [];
  readonly scripts: Script[] = [];
  readonly offers: readonly Offer[] | undefined;
  /** The keys of offers that lack capacity. */
  short: readonly string[] = [];
  /** Launches are to be asked later. */
  busy = false;
  /** Observations fail with this. */
  deaf: ProviderFault | undefined;
  /** What each launch, observation and check waits for before it does anything. */
  before: () => Promise<void> = async () => undefined;
  /** What each launch waits for besides. */
  beforeLaunch: () => Promise<void> = async () => undefined;
  /** What each release waits for. */
  beforeRelease: () => Promise<void> = async () => undefined;
  /** Whether its API prepares orders, when a bench begins with it. */
  prepares = true;
  /** What each disposal waits for; absent: its API has none, when a bench begins with it. */
  disposing: (() => Promise<void>) | undefined;
  /** What each connection waits for. */
  connecting: () => Promise<void> = async () => undefined;
  /** Releases are accepted later. */
  hold = false;
  /** Released machines shut down until they are killed. */
  shutsDownSlowly = false;
  /** What a sweep finds; a fault fails it. */
  listed: readonly OwnedResource[] | ProviderFault = [];
  /** Containers that a sweep finds. */
  containers: readonly OwnedResource[] = [];
  /** What a sweep ended, by id. */
  readonly removed: string[] = [];
  /** What it says that it has; a fault says nothing. */
  types: readonly MachineType[] | ProviderFault = [];
  /** The prices that machines of an offer have when they come, where they are not those of its terms. */
  readonly prices: Record<string, number> = {};
  /** Whether it has notices; a fault fails their reception. */
  notices: boolean | ProviderFault = false;
  /** The messages that wait. Those that are not acknowledged stay. */
  messages: readonly NoticeMessage[] = [];
  /** Messages that follow, as many at a time as one answer has. */
  waiting: readonly NoticeMessage[] = [];
  readonly acknowledged: string[] = [];
  /** How often it was asked what it has. */
  discoveries = 0;
  /** Whether what a token started is found by it. */
  findable = true;
  /** Whose it is. */
  identity = 'scripted';
  /** Machines that are not listed. */
  readonly hidden = new Set<string>();
  readonly capabilities: Capabilities;
  #count = 0;

  constructor(capabilities: Partial<Capabilities> = {}, offers?: readonly Offer[]) {
    this.offers = offers;
    this.capabilities = {
      supports_spot: false,
      supports_on_demand: true,
      max_instances: 10_000,
      supported_fleet_types: [],
      machines_per_launch: 100,
      offers_per_launch: 'many',
      visible_within_ms: 60_000,
      token_valid_ms: 3_600_000,
      late_release_ms: 0,
      ...capabilities,
    };
  }

  /** Starts what the token has not started yet. */
  start(order: LaunchOrder<any, any>, count = order.machine_count): Launch {
    const mine = () => [...this.machines.values()].filter((machine) => machine.token === order.token);
    for (let started = mine().length; started < count; started++) {
      const machine_id = `m-${++this.#count}`;
      const [offer] = order.offers ?? [];
      this.machines.set(machine_id, {
        report: {
          machine_id,
          status: 'pending',
          ready: false,
          ...(offer ? { data: { offer: offer.key }, ...this.priced(offer) } : {}),
        },
        token: order.token,
        request_id: order.request_id,
        attempt: order.attempt,
      });
    }
    return { handle: { token: order.token }, machines: mine().map((machine) => machine.report), settled: true };
  }

  /** What a report says of the price of a machine: by the offers that have terms. */
  priced(offer: Offer): Pick<MachineReport, 'machine_type' | 'market' | 'price'> {
    const { market, price } = termsOf(offer);
    const usd_per_hour = this.prices[offer.key] ?? price?.usd_per_hour;
    return {
      ...(offer['vcpus'] === undefined ? {} : { machine_type: offer.key }),
      ...(market === undefined ? {} : { market }),
      ...(usd_per_hour === undefined ? {} : { price: { usd_per_hour, source: 'catalogue' } }),
    };
  }

  /** Everything that lives, as a sweep lists it. */
  owned(created_at: string): OwnedResource[] {
    return this.live().flatMap((id): OwnedResource[] => {
      const machine = this.machines.get(id);
      return machine
        ? [
            {
              kind: 'machine',
              id,
              request_id: machine.request_id,
              attempt: machine.attempt,
              created_at,
              machine: machine.report,
            },
          ]
        : [];
    });
  }

  boot(...ids: readonly string[]): void {
    for (const [id, machine] of this.machines) {
      if ((ids.length > 0 && !ids.includes(id)) || machine.report.status !== 'pending') continue;
      machine.report = {
        ...machine.report,
        status: 'running',
        ready: true,
        name: `host-${id}`,
        private_ip: '10.0.0.1',
      };
    }
  }

  kill(id: string): void {
    const machine = this.machines.get(id);
    if (machine) machine.report = { ...machine.report, status: 'terminated', ready: false };
  }

  /** Ends a released machine. */
  end(id: string): void {
    const machine = this.machines.get(id);
    if (!machine || !this.shutsDownSlowly) return this.kill(id);
    machine.report = { ...machine.report, status: 'shutting-down', ready: false };
  }

  live(request_id?: string): string[] {
    const mine = [...this.machines].filter(
      ([, machine]) => request_id === undefined || machine.request_id === request_id,
    );
    return mine.filter(([, machine]) => machine.report.status !== 'terminated').map(([id]) => id);
  }
}

/** The fields `vcpus`, `usd` and `market` of an offer. */
const termsOf = ({ vcpus, usd, market }: Offer): OfferTerms => ({
  ...(market === undefined ? {} : { market: market as Market }),
  ...(vcpus === undefined ? {} : { vcpus: vcpus as number }),
  ...(usd === undefined ? {} : { price: { usd_per_hour: usd as number, source: 'catalogue' } }),
});

/** The type of the machines of an offer whose key ends in its number of vCPUs: `small-2`. */
function typeNamed(name = ''): MachineType | undefined {
  const vcpus = Number(/-(\d+)$/.exec(name)?.[1]);
  return Number.isNaN(vcpus) ? undefined : { name, vcpus, cores: vcpus, memory_mib: 1_024, arch: 'x86_64' };
}

/** The most messages of one answer. */
const mostMessages = 200;

const config = Type.Object({ cloud: Type.Optional(Type.Any()) }, { additionalProperties: true });

/** The provider type `scripted`: each instance's cloud is its `config.cloud`. */
export const scriptedType = defineProviderType({
  type: 'scripted',
  config,
  async connect(settings): Promise<ScriptedCloud> {
    await settings.cloud?.connecting();
    return settings.cloud;
  },
  identity: async (cloud) => cloud.identity,
  check: async (cloud) => cloud.before(),
  places: async () => ({ regions: ['here'], availability_zones: ['here-a'] }),
  machineTypeOf: (template, known) => known(template.machine_type ?? '') ?? typeNamed(template.machine_type),
  offerTerms: (offers) => offers.map(termsOf),
  async *machineTypes(cloud) {
    cloud.discoveries += 1;
    if (cloud.types instanceof ProviderFault) throw cloud.types;
    yield* cloud.types;
  },
  async *owned(cloud) {
    cloud.calls.push('sweep');
    if (cloud.listed instanceof ProviderFault) throw cloud.listed;
    yield* cloud.listed;
  },
  async whichLive(cloud, hosts) {
    cloud.calls.push(`which ${hosts.length}`);
    if (cloud.deaf) throw cloud.deaf;
    const live = new Set(cloud.live());
    return hosts.filter(
      ({ machine_id, name }) => live.has(machine_id ?? '') || live.has(name?.replace('host-', '') ?? ''),
    );
  },
  notices: {
    configured: ({ cloud }) => cloud?.notices !== false,
    async receive(cloud) {
      cloud.calls.push('receive');
      if (cloud.notices instanceof ProviderFault) throw cloud.notices;
      if (cloud.messages.length === 0) {
        cloud.messages = cloud.waiting.slice(0, mostMessages);
        cloud.waiting = cloud.waiting.slice(mostMessages);
      }
      return cloud.messages;
    },
    async acknowledge(cloud, receipts) {
      cloud.acknowledged.push(...receipts);
      cloud.messages = cloud.messages.filter((each) => !receipts.includes(each?.receipt));
    },
  },
  async remove(cloud, orphans) {
    cloud.removed.push(...orphans.map(({ id }) => id));
  },
});

const gone = (shortfall: readonly Shortfall[]) => ({ machines: [], settled: true, shortfall });

/** `finds`: what an order started can be looked for. */
export function scriptedApi(
  capabilities: Capabilities,
  offers?: readonly Offer[],
  finds = false,
  { prepares, disposing }: Pick<ScriptedCloud, 'prepares' | 'disposing'> = { prepares: true, disposing: undefined },
) {
  return defineProviderApi<ScriptedCloud>()({
    type: 'scripted',
    name: 'Scripted',
    capabilities,
    ...(offers ? { offers: () => offers } : {}),
    offersOfMachine: ({ data }, given) => given.filter(({ key }) => key === (data as { offer?: string })?.offer),
    ...(finds
      ? {
          async find(cloud: ScriptedCloud, { token }: LaunchOrder<any, any>) {
            cloud.calls.push('find');
            const started = [...cloud.machines.values()].some((machine) => machine.token === token);
            return cloud.findable && started ? { token } : undefined;
          },
        }
      : {}),
    ...(prepares
      ? {
          async prepare(cloud: ScriptedCloud, order: LaunchOrder<any, any>) {
            cloud.calls.push('prepare');
            return { for: order.token };
          },
        }
      : {}),
    ...(disposing
      ? {
          async dispose(cloud: ScriptedCloud) {
            await cloud.disposing?.();
            return { done: true };
          },
        }
      : {}),
    async *owned(cloud) {
      yield* cloud.containers;
    },
    async remove(cloud, orphans) {
      cloud.removed.push(...orphans.map(({ id }) => id));
    },
    async launch(cloud, order, call): Promise<Launch<{ token: string }>> {
      await cloud.before();
      await cloud.beforeLaunch();
      call.fence();
      if (prepares && !order.token.startsWith(order.prepared.for))
        throw new Error('An order came with what was prepared for another.');
      cloud.orders.push(order);
      cloud.calls.push('launch');
      call.recordCloudRequest?.(`scripted-${cloud.orders.length}`);
      if (cloud.busy) throw new ProviderFault('throttled', 'Later.');
      // Clouds look at the token before they look for capacity.
      const isRepeated = [...cloud.machines.values()].some((machine) => machine.token === order.token);
      const [offer] = order.offers ?? [];
      if (!isRepeated && offer && cloud.short.includes(offer.key))
        throw new ProviderFault('capacity', `No ${offer.key}.`);
      const result = cloud.scripts.shift()?.(order, cloud) ?? cloud.start(order);
      if (result instanceof ProviderFault) throw result;
      if (result !== 'execute-then-lose') return result;
      cloud.start(order);
      throw new ProviderFault('unknown-outcome', 'The connection was cut.');
    },
    async observe(cloud, watched) {
      await cloud.before();
      cloud.calls.push(`observe ${watched.length}`);
      return watched.map(({ handle, known, only_known }) => {
        cloud.asked.push(known.length);
        if (cloud.deaf) return cloud.deaf;
        const mine = [...cloud.machines.values()].filter((machine) => machine.token === handle.token);
        const named = new Set(known.map(({ machine_id }) => machine_id));
        const wanted = mine.filter((machine) => !only_known || named.has(machine.report.machine_id));
        const listed = wanted.filter((machine) => !cloud.hidden.has(machine.report.machine_id));
        return listed.length > 0 ? { machines: listed.map((machine) => machine.report), settled: true } : gone([]);
      });
    },
    async release(cloud, _handle, { go }, call) {
      await cloud.beforeRelease();
      call.fence();
      call.recordCloudRequest?.(`released-${cloud.calls.length}`);
      cloud.calls.push(`release ${go.map((machine) => machine.machine_id).join(',')}`);
      if (cloud.hold) return { done: false };
      for (const { machine_id } of go) cloud.end(machine_id);
      return { done: true };
    },
  });
}
