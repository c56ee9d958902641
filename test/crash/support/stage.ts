import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker, type Place, type StartedBroker } from '../../support/boot-broker.ts';
import { attacked } from '../attack/attacked.ts';
import type { Attack } from '../campaign/kill-point.ts';
import { isAlive, openCloud, type Cloud, type KnobChange } from './cloud.ts';
import type { Dialect, Seen } from './dialect.ts';
import { until } from './until.ts';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export interface StageOptions {
  readonly dialect: Dialect;
  /** Template files by name. */
  readonly templates: Readonly<Record<string, unknown>>;
  readonly knobs?: KnobChange;
  /** Settings of the provider. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A data directory with its simulated cloud, and the brokers that run on it one after the other. */
export class Stage {
  readonly directory: string;
  readonly dialect: Dialect;
  readonly cloud: Cloud;
  readonly #outputs: string[] = [];
  #broker: StartedBroker;
  kills = 0;

  private constructor(directory: string, dialect: Dialect, cloud: Cloud, broker: StartedBroker) {
    this.directory = directory;
    this.dialect = dialect;
    this.cloud = cloud;
    this.#broker = broker;
  }

  static async open({ dialect, templates, knobs = {}, config = {} }: StageOptions): Promise<Stage> {
    const directory = mkdtempSync(join(tmpdir(), 'muster-stage-'));
    const configuration = {
      scheduler: dialect.scheduler,
      providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:', ...config } }],
      server: { rate_limit: { enabled: false } },
    };
    writeFileSync(join(directory, 'muster.config.json'), JSON.stringify(configuration));
    for (const [name, content] of Object.entries(templates))
      writeFileSync(join(directory, name), JSON.stringify(content));
    const cloud = await openCloud(directory, knobs);
    try {
      return new Stage(directory, dialect, cloud, await start(directory));
    } catch (error) {
      await cloud.close();
      throw error;
    }
  }

  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await fetch(`${this.#broker.url}/api/v1${path}`, {
      method,
      ...(body
        ? { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
        : { headers }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** The id of a request that the broker acknowledged. */
  async request(template_id: string, machine_count: number, headers: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.call(
      'POST',
      '/machines/request',
      this.dialect.ask(template_id, machine_count),
      headers,
    );
    if (status !== 200) throw new Error(`The request was refused with ${status}: ${JSON.stringify(body)}`);
    return this.dialect.requestId(body);
  }

  /** The id of a return that the broker acknowledged. */
  async giveBack(machine_ids: readonly string[], headers: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/machines/return', { machine_ids }, headers);
    if (status !== 200) throw new Error(`The return was refused with ${status}: ${JSON.stringify(body)}`);
    return this.dialect.requestId(body);
  }

  async seen(request_id: string): Promise<Seen> {
    const { status, body } = await this.call('GET', `/requests/${request_id}/status`);
    if (status !== 200)
      throw new Error(`The status of ${request_id} was refused with ${status}: ${JSON.stringify(body)}`);
    return this.dialect.seen(body);
  }

  /** Waits for the end of a request or return. */
  ended(request_id: string): Promise<Seen> {
    return until(
      `${request_id} ends`,
      async () => {
        const seen = await this.seen(request_id);
        return this.dialect.ended.has(seen.status) && seen;
      },
      { every_ms: 60 },
    );
  }

  /** `kill -9` of the broker. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.#broker.kill('SIGKILL');
    this.#outputs.push(outputOf(this.#broker), `--- killed (${this.kills}) ---`);
  }

  /** Waits until the broker died of its attack. */
  async died(): Promise<void> {
    const { pid } = this.#broker;
    await until('the broker dies', () => !isAlive(pid));
    await this.kill();
  }

  /** Starts a broker on what the last one left behind. */
  async start(attack: Attack = {}): Promise<void> {
    this.#broker = await start(this.directory, attack);
  }

  /** Everything that is needed to understand what went wrong. */
  async account(): Promise<string> {
    const { entries } = await this.cloud.audit();
    const lines = entries.map(({ n, at, action, token, ids, executed, answered, code, fault }) =>
      JSON.stringify({ n, at, action, token, ids, executed, answered, code, fault }),
    );
    const list = await this.call('GET', '/requests/').catch(String);
    return [
      `directory ${this.directory} (kept)`,
      `ledger ${JSON.stringify(await this.cloud.ledger())}`,
      `requests ${JSON.stringify(list)}`,
      'audit:',
      ...lines,
      'broker:',
      ...this.#outputs,
      outputOf(this.#broker),
    ].join('\n');
  }

  async close({ keep = false } = {}): Promise<void> {
    await this.#broker.stop();
    await this.cloud.close();
    if (!keep) rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The cloud is a process of its own, so the place of this broker has none. */
function start(directory: string, attack: Attack = {}): Promise<StartedBroker> {
  return startBroker({
    place: { directory, close: async () => {} } as Place,
    env: { MUSTER_DATA_DIR: directory, ...(Object.keys(attack).length > 0 ? attacked(attack) : {}) },
  });
}

const outputOf = ({ output }: StartedBroker): string => `${output.stdout}${output.stderr}`;
