import { chunks, type Call, type HostRef } from '../../../core/index.ts';
import type { Instance } from '@aws-sdk/client-ec2';
import { describeInstances, valuesPerFilter, type InstanceFilter } from './describe.ts';
import type { CloudSession } from '../connection/session.ts';

const alive: InstanceFilter = { Name: 'instance-state-name', Values: ['pending', 'running'] };

/**
 * Of these hosts, those that come up or run here: by id, else by private name. Any question that fails is a fault:
 * what was not seen is not gone.
 */
export async function whichLive(session: CloudSession, hosts: readonly HostRef[], call: Call): Promise<HostRef[]> {
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const byId = await seen(session, 'instance-id', ids, ({ InstanceId }) => InstanceId, call);
  const byName = await seen(session, 'private-dns-name', names, ({ PrivateDnsName }) => PrivateDnsName, call);
  return hosts.filter(({ machine_id, name }) => (machine_id === undefined ? byName.has(name) : byId.has(machine_id)));
}

async function seen(
  session: CloudSession,
  filter: string,
  values: readonly string[],
  keyOf: (instance: Instance) => string | undefined,
  call: Call,
): Promise<ReadonlySet<string | undefined>> {
  const found = new Set<string | undefined>();
  for (const Values of chunks(values, valuesPerFilter)) {
    for (const instance of await describeInstances(session, [{ Name: filter, Values }, alive], call))
      found.add(keyOf(instance));
  }
  return found;
}
