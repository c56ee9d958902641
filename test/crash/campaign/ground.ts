import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { createSimulator, type Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { dialects, type Dialect } from '../support/dialect.ts';
import { dice, type Dice } from '../support/dice.ts';
import { fastNow, type FastClock } from './fast-clock.ts';
import { pace } from './pace.ts';
import type { Size } from './stories.ts';
import { templates } from './ways.ts';

/** What takes seconds of work has more of the computer's time for it. */
const slower = { small: 1, large: 1, huge: 5 };
/** Of many machines some still come up when their caller gives them back. */
const boots = { small: [2_000, 10_000], large: [60_000, 120_000], huge: [60_000, 120_000] };
const keys = { access_key_id: 'AKIACRASH', secret_access_key: 'crash' };

/** A data directory with two regions of a simulated cloud, and the time in which all of them live. */
export interface Ground {
  readonly directory: string;
  readonly cloud: Simulator;
  readonly clock: FastClock;
  readonly dialect: Dialect;
  readonly chance: Dice;
  /** Faults that come beside those of a play. */
  readonly faults: NonNullable<KnobChange['faults']>;
  /** Launch templates hold contents that later requests may share, and stay. */
  readonly shared: boolean;
  /** What so many milliseconds of its time are on the computer's clock, in whole ones. */
  real(ms: number): number;
  /** Writes configuration and templates for one more broker, in a directory of its own. */
  configure(name: string, more: BrokerOptions): string;
  /** Everything that the cloud knows of what happened. */
  account(): string;
  close(options: { readonly keep: boolean }): Promise<void>;
}

/** What one of several brokers has of its own. */
export interface BrokerOptions {
  readonly storage: object;
  /** The provider instance that it does not have. */
  readonly lacks?: string;
  readonly budgets?: readonly object[];
}

/** `more`: so many times as slow as else. */
export async function openGround(
  seed: number,
  scheduler?: Dialect['scheduler'],
  size: Size = 'small',
  more = 1,
): Promise<Ground> {
  const chance = dice(seed);
  const by = chance.pick(dialects);
  const dialect = dialects.find((each) => each.scheduler === scheduler) ?? by;
  const shared = chance.roll(2) === 0;
  const { faults = [], ...knobs } = troublesBy(chance, boots[size]);
  const clock: FastClock = { from: Date.now(), times: pace() / slower[size] / more };
  const time = { now: () => fastNow(clock, Date.now()), advance: () => undefined, reset: () => undefined };
  const cloud = createSimulator({ clock: time, seed, knobs });
  await cloud.listen();
  const directory = mkdtempSync(join(tmpdir(), 'muster-play-'));
  const provider = (name: string, region: string, priority: number) => ({
    name,
    type: 'cloud',
    priority,
    limits: { max_instances_per_request: 10_000 },
    config: { endpoint_url: cloud.url, region, ...keys, launch_template: { reuse_existing: shared } },
  });
  const configuration = {
    scheduler: dialect.scheduler,
    providers: [provider('east', 'us-east-1', 1), provider('west', 'eu-west-1', 2)],
    server: { rate_limit: { enabled: false } },
  };
  const write = (to: string, content: object) => {
    writeFileSync(join(to, 'muster.config.json'), JSON.stringify(content));
    writeFileSync(join(to, 'templates.json'), JSON.stringify(templates));
  };
  write(directory, configuration);
  return {
    directory,
    cloud,
    clock,
    dialect,
    chance,
    faults,
    shared,
    real: (ms) => Math.round(ms / clock.times),
    configure(name, { storage, lacks, budgets = [] }) {
      const own = join(directory, name);
      mkdirSync(own);
      const providers = configuration.providers.filter((each) => each.name !== lacks);
      write(own, { ...configuration, storage, providers, budgets });
      return own;
    },
    account: () =>
      [
        `directory ${directory} (kept)`,
        JSON.stringify(cloud.ledger()),
        ...cloud.audit().map((each) => JSON.stringify(each)),
      ].join('\n'),
    async close({ keep }) {
      await cloud.close();
      if (!keep) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function troublesBy(chance: Dice, boot: readonly number[]): KnobChange {
  const actions = ['RunInstances', 'CreateFleet', 'TerminateInstances', 'ModifyFleet', 'DescribeInstances'];
  const trouble = chance.roll(2) === 0;
  const faulty = { action: chance.pick(actions), nth: 1 + chance.roll(4), times: 1 + chance.roll(2) };
  return {
    boot_ms: chance.pick(boot),
    shutdown_ms: chance.pick([1_000, 8_000]),
    visible_ms: { id: chance.pick([0, 3_000]), filter: chance.pick([0, 5_000]), tag: chance.pick([0, 8_000]) },
    latency_ms: Object.fromEntries(actions.map((action) => [action, chance.pick([0, 0, 50, 200])])),
    faults: trouble
      ? [
          {
            ...faulty,
            effect: chance.pick(['execute', 'skip'] as const),
            then: chance.pick(['drop', 'cut', 'html', 'error'] as const),
          },
        ]
      : [],
  };
}
