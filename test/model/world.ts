import { namesFor } from './names.ts';
import { BrokerError, isBrokerError, silentLog, type Log, type Template } from '../../core/index.ts';
import { startLoop } from '../../core/reconciler/loop.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import { choose } from '../../core/providers/choose.ts';
import { ProviderDirectory } from '../../core/providers/directory.ts';
import { Facts } from '../../core/providers/facts.ts';
import { RequestService } from '../../core/requests/request-service.ts';
import { RequestCommands } from '../../core/requests/request-commands.ts';
import { memoryDriver } from '../support/memory-driver.ts';
import { Cloud } from './cloud.ts';
import type { ConfigurationChange } from './commands.ts';
import { Judge, type Rule } from './judge.ts';
import { Life } from './life.ts';
import { providerOf } from './provider.ts';
import type { Setup } from './setup.ts';
import { Shelf } from './shelf.ts';
import { Host, Time } from './time.ts';
import { aBroker } from '../../plugin-testkit/storage/records.ts';
import { Budgets } from '../../core/budgets/budgets.ts';

const names = ['east', 'west', 'north'] as const;

export const absenceMs = 20_000;
export const sweepMs = 120_000;
export const replaceAgainMs = 60_000;

/** Intervals that let a play be short; their order among each other is that of the defaults. */
const quickSettings = {
  pending_timeout_ms: 120_000,
  absence_ms: absenceMs,
  offer_memory_ms: 30_000,
  offer_probe_ms: 5_000,
  repeat_release_ms: 10_000,
  replace_again_ms: replaceAgainMs,
  recover_after_ms: [5_000, 20_000, 60_000],
  sweep_ms: sweepMs,
  sweep_first_ms: 15_000,
  sweep_grace_ms: 60_000,
  discovery_first_ms: 1e12,
} satisfies Partial<Settings>;

/** Clouds, a store, and the lives of loops on it, with whoever asks them for machines. */
export class World {
  readonly setup: Setup;
  readonly time = new Time();
  readonly clouds: readonly Cloud[];
  readonly shelf: Shelf;
  readonly judge: Judge;
  readonly lives: Life[] = [];
  requestService!: RequestService;
  requestCommands!: RequestCommands;
  directory!: ProviderDirectory;
  #config: { readonly instance: ProviderInstance; there: boolean }[];
  readonly #hosts = { here: new Host('here'), there: new Host('there') };
  /** The computers of several brokers. */
  readonly #seats: readonly Host[];
  #thread = 0;
  #asked = 0;
  #facts: Facts | undefined;

  private constructor(setup: Setup, shelf: Shelf, time: Time, but: ReadonlySet<Rule>) {
    this.setup = setup;
    const { brokers = 1 } = setup;
    this.#seats = brokers > 1 ? Array.from({ length: brokers }, (_, n) => new Host(`seat-${n}`)) : [];
    this.time = time;
    this.shelf = shelf;
    this.clouds = setup.instances.map(({ free }, index) => new Cloud(names[index] ?? '', setup.api, time, free));
    this.judge = new Judge(shelf, time, this.clouds, quickSettings, but);
    this.#config = this.clouds.map((cloud, index) => ({
      instance: {
        name: cloud.name,
        type: 'modelled',
        enabled: true,
        priority: index + 1,
        weight: setup.instances[index]?.weight ?? 10,
        config: { cloud: cloud.name },
        template_defaults: {},
        sweep: setup.sweep,
        limits: {
          max_instances_per_request: 10_000,
          max_concurrent_requests: setup.instances[index]?.max_concurrent ?? null,
        },
      },
      there: true,
    }));
    this.judge.isOpen = (cloud) => {
      const { instance, there } = this.#config.find((entry) => entry.instance.name === cloud.name) ?? {};
      const { boot_ms, call_ms, calls_vary, kind } = setup.api;
      const slowest = call_ms * (calls_vary ? 4 : 1) + (setup.commit_ms ?? 0) * 4;
      const quick = boot_ms < 30_000 && slowest < 1_000 && kind === 'plain';
      return (
        quick &&
        there === true &&
        instance?.enabled === true &&
        instance.weight > 0 &&
        instance.limits.max_concurrent_requests === null
      );
    };
    time.tell = () => shelf.tell();
    time.over = () => this.judge.violations.length > 0;
  }

  static async make(setup: Setup, but: ReadonlySet<Rule> = new Set()): Promise<World> {
    const time = new Time();
    const clock = time.clockOf({ host: new Host('storage'), state: 'running' });
    const store = await memoryDriver().open({}, { clock, log: silentLog });
    // The tokens of a play, and with them its back-offs, are the same each time.
    const installation = { topic: 'installation', name: '', item: '', value: 'installation', at: clock.now() };
    await store.commit([{ op: 'insert', kind: 'fact', record: installation }]);
    const world = new World(setup, new Shelf(store, time, setup.commit_ms), time, but);
    await world.#startInterfaces();
    await world.startAll();
    return world;
  }

  /** The youngest loop that is not dead. */
  get life(): Life | undefined {
    return this.lives.findLast(({ state }) => state !== 'dead');
  }

  /** One of several that are not dead. */
  lifeOf(by = 0): Life | undefined {
    const living = this.lives.filter(({ state }) => state !== 'dead');
    return this.isShared ? living[by % living.length] : this.life;
  }

  /** Several brokers run at a time. */
  get isShared(): boolean {
    return this.#seats.length > 0;
  }

  get host(): Host {
    return this.#hosts.here;
  }

  /** The computers that may be suspended. */
  get hosts(): readonly Host[] {
    return this.isShared ? this.#seats : [this.host];
  }

  /** Starts as many loops as run at a time. */
  async startAll(): Promise<void> {
    if (!this.isShared) return this.start(false);
    for (const seat of this.#seats) await this.start(false, seat);
  }

  /** Ends a loop wherever it is. */
  end(life: Life): void {
    life.kill();
    this.judge.ended(life);
  }

  /**
   * Starts a loop: of the process of an earlier one, which has ended by then, or of one on another computer. `seat`: of
   * a new process on the computer of one of several brokers.
   */
  async start(elsewhere: boolean, seat?: Host): Promise<void> {
    const host = seat ?? (elsewhere ? this.#hosts.there : this.#hosts.here);
    for (const earlier of this.lives) if (earlier.host === host && earlier.state !== 'dead') this.end(earlier);
    this.#thread += 1;
    const broker = aBroker({ host: host.name, ...(seat ? { started: this.#thread } : { thread: this.#thread }) });
    const life = new Life(broker, host, this.time, this.#instances());
    this.lives.push(life);
    const { setup } = this;
    const { type, api } = providerOf(setup, this.clouds, life, this.time);
    const settings = { ...quickSettings, rows_per_commit: setup.rows_per_commit, lease_ms: setup.lease_ms };
    try {
      life.loop = await startLoop({
        store: this.shelf.for(life, setup.rows_per_commit),
        instances: life.instances,
        types: [type],
        apis: [api],
        schemes: [],
        data_directory: '',
        clock: life.clock,
        log: this.#log(),
        broker,
        settings,
      });
    } catch (error) {
      if (!isBrokerError(error)) this.judge.fail('unexpected error', `a loop does not start: ${String(error)}`);
      life.kill();
      this.time.after(1_000, () => void this.start(elsewhere, seat));
    }
  }

  /** Changes the configuration: it takes effect in the interfaces at once, and in loops that start later. */
  async configure(change: ConfigurationChange): Promise<void> {
    const entry = this.#config[change.at % this.#config.length];
    if (!entry) return;
    const { instance } = entry;
    const to = (fields: Partial<ProviderInstance>) =>
      ((entry as { instance: ProviderInstance }).instance = { ...instance, ...fields });
    if (change.to === 'removed' || change.to === 'there') entry.there = change.to === 'there';
    else if (change.to === 'weight') to({ weight: change.weight });
    else if (change.to === 'max_concurrent')
      to({ limits: { ...instance.limits, max_concurrent_requests: change.max } });
    else to({ enabled: change.to === 'enabled' });
    await this.#startInterfaces();
  }

  /** Every instance is configured again, as it was. */
  async configureAll(): Promise<boolean> {
    const missing = this.#config.filter(({ there }) => !there);
    for (const entry of missing) entry.there = true;
    await this.#startInterfaces();
    return missing.length > 0;
  }

  /** Asks for machines as a caller does: until it is answered. */
  async request(machine_count: number, number: number): Promise<void> {
    const index = number % this.setup.templates.length;
    const template = { template_id: `template-${index}`, ...this.setup.templates[index] } as Template;
    const request_id = `req-${String((this.#asked += 1)).padStart(3, '0')}`;
    await this.asks(async () => {
      const names = this.setup.names === undefined ? {} : { names: namesFor(machine_count) };
      const input = { template, machine_count, ...names };
      await this.requestService.admit(input);
      await this.requestService.create(
        input,
        choose({ template }, { key: request_id, machine_count }, {}, this.directory),
        { request_id },
      );
    });
  }

  /** A refusal is an answer; anything else is wrong. */
  async asks(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof BrokerError) || error.code === 'INTERNAL')
        this.judge.fail('unexpected error', String(error));
    }
  }

  #instances(): readonly ProviderInstance[] {
    return this.#config.filter(({ there }) => there).map(({ instance }) => instance);
  }

  /** The state that the interfaces keep in memory. */
  async #startInterfaces(): Promise<void> {
    const life = new Life(aBroker({ thread: 0 }), this.#hosts.here, this.time, []);
    const store = this.shelf.for();
    const { type, api } = providerOf(this.setup, this.clouds, life, this.time);
    this.#facts?.[Symbol.dispose]();
    this.#facts = new Facts(store, life.clock);
    await this.#facts.follow();
    this.directory = new ProviderDirectory(this.#instances(), [type], [api], this.#facts);
    this.requestService = new RequestService(store, life.clock, new Budgets([], this.directory, this.#facts), 100_000);
    this.requestCommands = new RequestCommands(store, life.clock);
  }

  #log(): Log {
    return {
      ...silentLog,
      error: (fields, message) => {
        const { err } = fields as { readonly err?: unknown };
        if (/loaded anew|bug of/.test(message))
          this.judge.fail('unexpected error', `${message} ${err instanceof Error ? (err.stack ?? '') : ''}`);
      },
    };
  }
}
