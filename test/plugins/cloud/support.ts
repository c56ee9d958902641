import {
  systemClock,
  silentLog,
  type Call,
  type Clock,
  type LaunchOrder,
  type PluginContext,
  type ProviderApi,
} from '../../../core/index.ts';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../plugins/cloud-simulator/server/server.ts';
import { cloud, type CloudSession } from '../../../plugins/cloud/index.ts';

export const quietCall = (signal: AbortSignal = new AbortController().signal): Call => ({
  signal,
  fence: () => {},
  log: silentLog,
});

export const contextOf = (more: Partial<PluginContext> = {}): PluginContext => ({
  instance: 'east',
  endpoint: async (url) => url,
  clock: systemClock as Clock,
  log: silentLog,
  installation: 'inst-1',
  ...more,
});

export interface Stage {
  readonly simulator: Simulator;
  readonly session: CloudSession;
  readonly call: Call;
  /** Another session of the same configuration, as after a restart. */
  restarted(): Promise<CloudSession>;
  /** Calls of an action that reached the cloud. */
  calls(action: string): number;
  close(): Promise<void>;
}

/** A session on a simulated cloud of its own. */
export async function stage(
  config: object = {},
  context: Partial<PluginContext> = {},
  options: SimulatorOptions = {},
): Promise<Stage> {
  const simulator = createSimulator({ ...options, knobs: { boot_ms: 20, shutdown_ms: 20, ...options.knobs } });
  const endpoint_url = await simulator.listen();
  const keys = { access_key_id: 'AKIATEST000000000000', secret_access_key: 'a-secret-that-nobody-sees' };
  const sessions: CloudSession[] = [];
  // A process that runs many tests at once answers late.
  const patient = { cloud_connect_timeout: 60, cloud_read_timeout: 300 };
  const connect = async (): Promise<CloudSession> => {
    const session = await cloud.connect({ endpoint_url, ...keys, ...patient, ...config }, contextOf(context));
    sessions.push(session);
    return session;
  };
  const session = await connect();
  return {
    simulator,
    session,
    call: quietCall(),
    restarted: connect,
    calls: (action) => simulator.audit().filter((entry) => entry.action === action).length,
    async close() {
      for (const each of sessions) each.close();
      await simulator.close();
    },
  };
}

let tokens = 0;

/** An order as the core makes it, prepared by the API. */
export async function prepared(
  api: ProviderApi,
  { session, call }: Stage,
  more: Partial<LaunchOrder<any, any>> = {},
): Promise<LaunchOrder<any, any>> {
  tokens += 1;
  const template = {
    template_id: 't',
    image_id: 'ami-1',
    machine_type: 'm5.large',
    subnet_ids: ['subnet-1'],
    ...more.template,
  };
  const offers = more.offers ?? api.offers?.(template) ?? [];
  const order: LaunchOrder<any> = {
    request_id: `req-${tokens}`,
    attempt: 1,
    token: `token${tokens}`,
    machine_count: 1,
    tags: {},
    prepared: undefined,
    ...more,
    template,
    offers: api.capabilities.offers_per_launch === 'one' ? offers.slice(0, 1) : offers,
  };
  return JSON.parse(JSON.stringify({ ...order, prepared: await api.prepare?.(session, order, call) }));
}

export const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);
