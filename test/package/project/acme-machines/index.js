import { definePlugin, defineProviderApi, defineProviderType, Type } from 'muster';

/** What stands in each rack, whoever looks at it: order → machines, and the machines that ended. */
const racks = new Map();

/** Machines that exist in memory only, as a package brings them: plain JavaScript. */
const acme = defineProviderType({
  type: 'acme',
  config: Type.Object({ rack: Type.String({ minLength: 1, default: 'r1', description: 'Where its machines stand.' }) }),
  connect({ rack }) {
    if (!racks.has(rack)) racks.set(rack, { rack, orders: new Map(), gone: new Set() });
    return racks.get(rack);
  },
});

const shelf = defineProviderApi()({
  type: 'acme',
  name: 'Shelf',
  capabilities: {
    supports_spot: false,
    supports_on_demand: true,
    max_instances: 100,
    supported_fleet_types: [],
    machines_per_launch: 10,
    offers_per_launch: 'many',
    visible_within_ms: 0,
    token_valid_ms: 3_600_000,
    late_release_ms: 0,
  },
  async launch(session, { token, machine_count }, call) {
    call.fence();
    const ids = Array.from({ length: machine_count }, (_, place) => `${session.rack}-${token}-${place}`);
    session.orders.set(token, ids);
    return { handle: { order: token }, machines: seen(session, token), settled: true };
  },
  observe: async (session, watched) => watched.map(({ handle }) => ({ machines: seen(session, handle.order), settled: true })),
  async release(session, _handle, { go }, call) {
    call.fence();
    for (const { machine_id } of go) session.gone.add(machine_id);
    return { done: true };
  },
});

const seen = (session, order) =>
  (session.orders.get(order) ?? []).map((machine_id) => ({
    machine_id,
    status: session.gone.has(machine_id) ? 'terminated' : 'running',
    name: `host-${machine_id}`,
    private_ip: '10.0.0.1',
    ready: !session.gone.has(machine_id),
  }));

export default definePlugin({ name: 'acme-machines', contract: 1, providers: [acme], providerApis: [shelf] });
