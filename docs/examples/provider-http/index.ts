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
    url: Type.String({ format: 'uri', description: 'The address of the API.' }),
    api_key: Type.Union([Type.String(), Type.Null()], {
      default: null,
      sensitive: true,
      description: 'The API key.',
    }),
  }),
  connect: (config) => client(config),
  check: async (cloud, call) => void (await cloud.list('none', call)),
});

/**
 * One API of the cloud that starts machines. muster does the rest (retries, time-outs, fallback, recovery after a
 * crash, returns).
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
    size: Type.Optional(Type.String({ description: 'The size of each machine, e.g. small.' })),
  }),

  // The token identifies the order: a repeated call with the same token returns the machines that the first call
  // started.
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

  // One result for each watched order, in the same sequence. A fault affects only its own entry.
  async observe(cloud, watched, call) {
    const seen = await Promise.allSettled(watched.map(({ handle }) => cloud.list(handle.order, call)));
    return seen.map((each) => {
      if (each.status === 'fulfilled') return { machines: each.value.map(report), settled: true };
      if (isFault(each.reason)) return each.reason;
      throw each.reason;
    });
  },

  // `target` is absolute. A machine that is already gone is a success, so a repeated call changes nothing.
  async release(cloud, _handle, target, call) {
    for (const { machine_id } of target.go) {
      call.fence();
      await cloud.end(machine_id, call);
    }
    return { done: true };
  },
});

/** Converts a machine of the cloud to the report that muster expects. */
function report({ id, state, name, address, started_at }: CloudMachine): MachineReport {
  const status = ({ booting: 'pending', up: 'running', ending: 'shutting-down', gone: 'terminated' } as const)[state];
  return { machine_id: id, status, name, private_ip: address, launched_at: started_at, ready: state === 'up' };
}

export default definePlugin({ name: 'my-cloud', contract: 1, providers: [myCloud], providerApis: [machines] });
