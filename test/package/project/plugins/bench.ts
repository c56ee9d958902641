import { definePlugin, defineProviderApi, defineProviderType, Type, type MachineReport, type SessionOf } from 'muster';

/** Machines that exist in memory only, as a project brings them: a file in TypeScript that is named by its path. */
const bench = defineProviderType({
  type: 'bench',
  config: Type.Object({ room: Type.String({ default: 'b1', description: 'Where its machines stand.' }) }),
  connect: ({ room }) => ({ room, orders: new Map<string, readonly string[]>(), gone: new Set<string>() }),
});

type Session = SessionOf<typeof bench>;

const places = defineProviderApi<Session>()({
  type: 'bench',
  name: 'Places',
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
  fields: Type.Object({ chair: Type.Optional(Type.String({ description: 'Which chair.' })) }),
  async launch(session, { token, machine_count, template }, call) {
    call.fence();
    const chair = template.chair ?? 'any';
    session.orders.set(
      token,
      Array.from({ length: machine_count }, (_, place) => `${session.room}-${chair}-${token}-${place}`),
    );
    return { handle: { order: token }, machines: seen(session, token), settled: true };
  },
  observe: async (session, watched) =>
    watched.map(({ handle }) => ({ machines: seen(session, handle.order), settled: true })),
  async release(session, _handle, { go }, call) {
    call.fence();
    for (const { machine_id } of go) session.gone.add(machine_id);
    return { done: true };
  },
});

const seen = (session: Session, order: string): readonly MachineReport[] =>
  (session.orders.get(order) ?? []).map((machine_id) => ({
    machine_id,
    status: session.gone.has(machine_id) ? 'terminated' : 'running',
    name: `host-${machine_id}`,
    private_ip: '10.0.0.2',
    ready: !session.gone.has(machine_id),
  }));

export default definePlugin({ name: 'bench', contract: 1, providers: [bench], providerApis: [places] });
