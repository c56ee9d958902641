import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Type } from '@sinclair/typebox';
import { definePlugin, defineProviderApi, defineProviderType, isFault, ProviderFault } from 'muster';
import type { MachineReport, SessionOf } from 'muster';
import { Leases, type Lease } from './leases.ts';

const labels = (description: string) => Type.Record(Type.String(), Type.String(), { default: {}, description });

/** Hosts that exist already: an inventory in the configuration, and a file with the leases. */
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
          description: 'The name of the host, unique in the inventory.',
        }),
        address: Type.String({ minLength: 1, description: 'The address of the host.' }),
        labels: labels('The labels by which templates choose the host.'),
      }),
      { minItems: 1, description: 'The hosts, in the order in which they are leased.' },
    ),
  }),
  async connect({ pool, hosts }, { clock }) {
    const duplicate = hosts.find(({ name }, index) => hosts.findIndex((other) => other.name === name) < index);
    if (duplicate)
      throw new ProviderFault(
        'credentials',
        `The host '${duplicate.name}' occurs twice in the inventory. Remove one of the two entries.`,
      );
    const { DatabaseSync } = await import('node:sqlite');
    const leases = await asFault(() => {
      mkdirSync(dirname(pool), { recursive: true });
      return new Leases(new DatabaseSync(pool, { timeout: 5_000 }));
    });
    return { pool, hosts, clock, leases };
  },
  // Another file contains none of these leases.
  identity: async ({ pool }) => pool,
  async check({ leases }) {
    await asFault(() => leases.of('no-such-token'));
  },
  async close({ leases }) {
    leases.close();
  },
});

/** Leases a host until it is returned. */
const lease = defineProviderApi<SessionOf<typeof staticPool>>()({
  type: 'static-pool',
  name: 'Lease',
  capabilities: {
    machines_per_launch: 1_000,
    visible_within_ms: 0,
    // The file keeps every lease, so a token stays valid longer than any request lives.
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
    const leased = await asFault(() => leases.take(token, machine_count, fitting, clock.now()));
    if (leased.length === 0) throw new ProviderFault('capacity', message, { code: 'NO_HOST' });
    const count = machine_count - leased.length;
    const shortfall = count > 0 ? { shortfall: [{ kind: 'capacity', code: 'NO_HOST', message, count } as const] } : {};
    return { handle: { token }, machines: leased.map(report), settled: true, ...shortfall };
  },

  async observe({ leases }, watched) {
    return asFault(() =>
      watched.map(({ handle }) => ({ machines: leases.of(handle.token).map(report), settled: true })),
    );
  },

  async release({ leases, clock }, { token }, { go }, call) {
    const named = new Set(go.map(({ machine_id }) => machine_id));
    const returned = (await asFault(() => leases.of(token))).filter((each) => named.has(idOf(each)));
    for (const each of returned) {
      call.fence();
      await asFault(() => leases.giveBack(each, clock.now()));
    }
    return { done: true };
  },
});

const idOf = ({ name, number }: Lease): string => `${name}.${number}`;

/** Reports a lease as a machine. The inventory is not read: the host may no longer be in it. */
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
    ...(returned_at === null ? {} : { ended_at: new Date(returned_at).toISOString() }),
    ready: out,
  };
}

/** Throws an error of SQLite as `unavailable`: nothing was written, and the same token gets the same hosts later. */
async function asFault<T>(work: () => T): Promise<T> {
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
  providerApis: [lease],
});
