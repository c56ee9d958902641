import { chunks, type Call, type HostRef } from '../../../core/index.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { describeInstances, valuesPerFilter, type InstanceFilter } from './describe.ts';
import type { CloudSession } from '../connection/session.ts';

const alive: InstanceFilter = { Name: 'instance-state-name', Values: ['pending', 'running'] };

/**
 * Those of the hosts that are pending or running here: by id, or else by private name. Any failed call is a fault: a
 * host that was not found may still exist.
 */
export async function whichLive(session: CloudSession, hosts: readonly HostRef[], call: Call): Promise<HostRef[]> {
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const byId = await keysFound(session, 'instance-id', ids, ({ InstanceId }) => InstanceId, call);
  const byName = await keysFound(session, 'private-dns-name', names, ({ PrivateDnsName }) => PrivateDnsName, call);
  return hosts.filter(({ machine_id, name }) => (machine_id === undefined ? byName.has(name) : byId.has(machine_id)));
}

async function keysFound(
  session: CloudSession,
  filter: string,
  values: readonly string[],
  keyOf: (instance: InstanceSummary) => string | undefined,
  call: Call,
): Promise<ReadonlySet<string | undefined>> {
  const found = new Set<string | undefined>();
  for (const Values of chunks(values, valuesPerFilter)) {
    for (const instance of await describeInstances(session, [{ Name: filter, Values }, alive], call))
      found.add(keyOf(instance));
  }
  return found;
}
