import {
  definePlugin,
  defineProviderApi,
  defineProviderType,
  isFault,
  Type,
  type MachineReport,
  type SessionOf,
} from 'muster';
import { client, type CloudMachine } from './client.ts';

/**
 * How a cloud is configured and connected to. Defaults, checks, environment variables, redaction and documentation
 * come from `config`.
 */
const myCloud = defineProviderType({
  type: 'my-cloud',
  config: Type.Object({
    url: Type.String({ format: 'uri', description: 'Where the cloud answers.' }),
    api_key: Type.Union([Type.String(), Type.Null()], {
      default: null,
      sensitive: true,
      description: 'What it knows us by.',
    }),
  }),
  connect: (config) => client(config),
  check: async (cloud, call) => void (await cloud.list('none', call)),
});

/**
 * One way of the cloud to hand out machines. Everything else (retries, time-outs, fallback, crashes, returns) is
 * muster's.
 */
const machines = defineProviderApi<SessionOf<typeof myCloud>>()({
  type: 'my-cloud',
  name: 'Machines',
  capabilities: {
    machines_per_launch: 100,
    visible_within_ms: 5_000,
    token_valid_ms: 24 * 3_600_000,
    late_release_ms: 0,
  },
  fields: Type.Object({
    size: Type.Optional(Type.String({ description: 'How large the machines are, e.g. small.' })),
  }),

  // The cloud knows an order by its token: asked again with the same one, it answers with the machines that it started
  // for it.
  async launch(cloud, order, call) {
    const { token, machine_count } = order;
    call.fence();
    const started = await cloud.start(
      { order: token, count: machine_count, size: order.template.size ?? 'small', tags: order.tags },
      call,
    );
    const missing = machine_count - started.length;
    const shortfall = {
      kind: 'capacity',
      code: 'FULL',
      message: `The cloud has ${missing} machines too few.`,
      count: missing,
    } as const;
    return {
      handle: { order: token },
      machines: started.map(report),
      settled: true,
      shortfall: missing > 0 ? [shortfall] : [],
    };
  },

  // One entry for each that is watched, in the same order. A fault concerns its own entry alone.
  async observe(cloud, watched, call) {
    const seen = await Promise.allSettled(watched.map(({ handle }) => cloud.list(handle.order, call)));
    return seen.map((each) => {
      if (each.status === 'fulfilled') return { machines: each.value.map(report), settled: true };
      if (isFault(each.reason)) return each.reason;
      throw each.reason;
    });
  },

  // `aim` says what shall be. What is gone already is no error, so that it may be said again.
  async release(cloud, _handle, aim, call) {
    for (const { machine_id } of aim.go) {
      call.fence();
      await cloud.end(machine_id, call);
    }
    return { done: true };
  },
});

/** A machine of the cloud in muster's words. */
function report({ id, state, name, address, started_at }: CloudMachine): MachineReport {
  const status = ({ booting: 'pending', up: 'running', ending: 'shutting-down', gone: 'terminated' } as const)[state];
  return { machine_id: id, status, name, private_ip: address, launched_at: started_at, ready: state === 'up' };
}

export default definePlugin({ name: 'my-cloud', contract: 1, providers: [myCloud], providerApis: [machines] });
