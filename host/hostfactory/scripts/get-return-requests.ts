import { hostsIn, optionalEntriesIn, type NamedHost } from '../input.ts';
import type { Script } from '../client/script.ts';

/** Returns the hosts of the scheduler that the cloud reclaims or reclaimed, with the seconds left. */
export const getReturnRequests: Script = async ({ input, instance, services, strategy }) => {
  const hosts = hostsIn(optionalEntriesIn(input, 'machines'));
  const ids = hosts.flatMap(({ machine_id }) => machine_id ?? []);
  const names = hosts.flatMap(({ machine_id, name }) => (machine_id === undefined ? (name ?? []) : []));
  const reclaimed = await services.inventory.reclaimed(ids, names, instance);
  const givenNames = new Map(
    hosts.flatMap(({ machine_id, name }: NamedHost) => (machine_id && name ? [[machine_id, name] as const] : [])),
  );
  return strategy.reclaims.render(
    reclaimed.map((each) => {
      // The scheduler knows a host by the name in its input.
      const name = givenNames.get(each.machine_id) ?? each.name;
      return { ...each, ...(name === undefined ? {} : { name }) };
    }),
  );
};
