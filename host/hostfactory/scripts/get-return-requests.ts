import { hostsIn, optionalEntriesIn, type NamedHost } from '../input.ts';
import type { Script } from '../client/script.ts';

/** Of the scheduler's hosts, those that the cloud takes or took back, with the seconds left. */
export const getReturnRequests: Script = async ({ input, instance, services, strategy }) => {
  const hosts = hostsIn(optionalEntriesIn(input, 'machines'));
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const reclaimed = await services.inventory.reclaimed(ids, names, instance);
  const called = new Map(
    hosts.flatMap(({ machine_id, name }: NamedHost) => (machine_id && name ? [[machine_id, name] as const] : [])),
  );
  return strategy.reclaims.render(
    reclaimed.map((each) => {
      // The scheduler knows a host by the name that it was told.
      const name = called.get(each.machine_id) ?? each.name;
      return { ...each, ...(name === undefined ? {} : { name }) };
    }),
  );
};
