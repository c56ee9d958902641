import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Type } from '@sinclair/typebox';
import { definePlugin, defineProviderApi, defineProviderType, isFault, ProviderFault } from 'muster';
import type { MachineReport, SessionOf } from 'muster';
import { Leases, type Lease } from './leases.ts';

const labels = (description: string) => Type.Record(Type.String(), Type.String(), { default: {}, description });

/** Hosts that are there already: an inventory in the configuration, and a file that says who has which. */
const staticPool = defineProviderType({
  type: 'static-pool',
  config: Type.Object({
    pool: Type.String({
      default: './data/pool.db',
      path: true,
      description: 'The file with the leases. Brokers that share it share the hosts.',
    }),
    hosts: Type.Array(
      Type.Object({
        name: Type.String({
          minLength: 1,
          pattern: '^[A-Za-z0-9._-]+$',
          description: 'Its name, once in the inventory.',
        }),
        address: Type.String({ minLength: 1, description: 'Where it is reached.' }),
        labels: labels('What templates choose it by.'),
      }),
      { minItems: 1, description: 'The hosts, those first that are to be lent first.' },
    ),
  }),
  async connect({ pool, hosts }, { clock }) {
    const twice = hosts.find(({ name }, index) => hosts.findIndex((other) => other.name === name) < index);
    if (twice)
      throw new ProviderFault(
        'credentials',
        `The host '${twice.name}' stands in the inventory twice. Remove one of the two.`,
      );
    const { DatabaseSync } = await import('node:sqlite');
    const leases = await told(() => {
      mkdirSync(dirname(pool), { recursive: true });
      return new Leases(new DatabaseSync(pool, { timeout: 5_000 }));
    });
    return { pool, hosts, clock, leases };
  },
  // With another file it would know of no lease of ours.
  identity: async ({ pool }) => pool,
  async check({ leases }) {
    await told(() => leases.of('nobody'));
  },
  async close({ leases }) {
    leases.close();
  },
});

/** The only way to have one: for as long as it is wanted. */
const lend = defineProviderApi<SessionOf<typeof staticPool>>()({
  type: 'static-pool',
  name: 'Lease',
  capabilities: {
    machines_per_launch: 1_000,
    visible_within_ms: 0,
    // Longer than anybody asks: a loan is never forgotten.
    token_valid_ms: 365 * 24 * 3_600_000,
    late_release_ms: 0,
  },
  fields: Type.Object({
    host_labels: Type.Optional(labels('Labels that a host must have, all of them with these values.')),
  }),

  async launch({ hosts, leases, clock }, { token, machine_count, template }, call) {
    const wanted = Object.entries(template.host_labels ?? {});
    const fitting = hosts.filter((host) => wanted.every(([label, value]) => host.labels[label] === value));
    const message =
      fitting.length === 0
        ? 'No host of the inventory has these labels.'
        : `Too few of the ${fitting.length} hosts with these labels are free.`;
    call.fence();
    const lent = await told(() => leases.take(token, machine_count, fitting, clock.now()));
    if (lent.length === 0) throw new ProviderFault('capacity', message, { code: 'NO_HOST' });
    const count = machine_count - lent.length;
    const shortfall = count > 0 ? { shortfall: [{ kind: 'capacity', code: 'NO_HOST', message, count } as const] } : {};
    return { handle: { token }, machines: lent.map(report), settled: true, ...shortfall };
  },

  async observe({ leases }, watched) {
    return told(() => watched.map(({ handle }) => ({ machines: leases.of(handle.token).map(report), settled: true })));
  },

  async release({ leases, clock }, { token }, { go }, call) {
    const named = new Set(go.map(({ machine_id }) => machine_id));
    const back = (await told(() => leases.of(token))).filter((lease) => named.has(idOf(lease)));
    for (const lease of back) {
      call.fence();
      await told(() => leases.giveBack(lease, clock.now()));
    }
    return { done: true };
  },
});

const idOf = ({ name, number }: Lease): string => `${name}.${number}`;

/** A lease as a machine. What the inventory says of the host by now does not matter: it may have been taken out. */
function report(lease: Lease): MachineReport {
  const { name, address, taken_at, returned_at } = lease;
  const out = returned_at === null;
  const launched_at = new Date(taken_at).toISOString();
  return {
    machine_id: idOf(lease),
    status: out ? 'running' : 'terminated',
    name,
    private_ip: address,
    launched_at,
    ready: out,
  };
}

/** What SQLite refuses was not done, and may be tried again: the same token gets the same hosts. */
async function told<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (cause) {
    throw isFault(cause)
      ? cause
      : new ProviderFault('unavailable', `The pool file cannot be used: ${(cause as Error).message}.`, { cause });
  }
}

export default definePlugin({
  name: 'provider-static-pool',
  contract: 1,
  providers: [staticPool],
  providerApis: [lend],
});
