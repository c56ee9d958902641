import type { AccountContents } from '../../core/contract/provider/account-contents.ts';
import type { SetupChoice } from '../../core/contract/provider/provider-setup.ts';

type Network = AccountContents['networks'][number];
type Subnet = AccountContents['subnets'][number];

/** A network with the subnets in which machines can start: one for each zone, the most free addresses first. */
export interface UsableNetwork {
  readonly network: Network;
  readonly subnets: readonly Subnet[];
  /** How many machines still get an address in those subnets. null: not counted. */
  readonly free_addresses: number | null;
}

/**
 * The networks in which machines can start, the default network first, then those with the most free addresses. A
 * fleet takes one subnet of a zone, so each zone contributes the one with the most free addresses.
 */
export function usableNetworks({ networks, subnets }: AccountContents): readonly UsableNetwork[] {
  const usable = networks.flatMap((network) => {
    const open = subnets
      .filter(({ network_id, free_addresses }) => network_id === network.id && free_addresses !== 0)
      .toSorted((a, b) => room(b.free_addresses) - room(a.free_addresses));
    const places = [...Map.groupBy(open, ({ zone, id }) => zone ?? id).values()].flatMap(([first]) => first ?? []);
    return places.length === 0 ? [] : [{ network, subnets: places, free_addresses: sum(places) }];
  });
  return usable.toSorted(
    (a, b) =>
      Number(b.network.is_default) - Number(a.network.is_default) || room(b.free_addresses) - room(a.free_addresses),
  );
}

const room = (addresses: number | null): number => addresses ?? Infinity;
const sum = (subnets: readonly Subnet[]): number | null =>
  subnets.some(({ free_addresses }) => free_addresses === null)
    ? null
    : subnets.reduce((all, { free_addresses }) => all + (free_addresses ?? 0), 0);

/** Why no network can be used, and what to do. */
export function whyNoNetwork({ networks, subnets, incomplete }: AccountContents, where: string): string {
  const unread = incomplete.find(({ list }) => list === 'networks' || list === 'subnets');
  if (unread) return `The ${unread.list} ${where} cannot be read. ${unread.message}`;
  if (networks.length === 0)
    return `There is no network ${where}. Create a VPC with a subnet there, or choose another region.`;
  if (subnets.length === 0)
    return `The networks ${where} have no subnets: ${networks.map(nameOf).join(', ')}. Create a subnet, or choose another region.`;
  const full = subnets.map((subnet) => `${nameOf(subnet)} (${subnet.zone ?? 'no zone'})`).join(', ');
  return `No subnet ${where} has a free address: ${full}. Create another subnet, release addresses, or choose another region.`;
}

/** The groups that machines get in a network: its group `default`, else its only group, else the provider's choice. */
export function groupsFor({ security_groups }: AccountContents, network: Network): readonly string[] {
  const own = security_groups.filter(({ network_id }) => network_id === network.id);
  const chosen = own.find(({ name }) => name === 'default') ?? (own.length === 1 ? own[0] : undefined);
  return chosen ? [chosen.id] : [];
}

/** The choice that follows from a network, an image and a key pair. */
export const choiceOf = (
  contents: AccountContents,
  { network, subnets }: UsableNetwork,
  image: SetupChoice['image'],
  key_name: string | null,
): SetupChoice => ({
  subnet_ids: subnets.map(({ id }) => id),
  security_group_ids: groupsFor(contents, network),
  key_name,
  image,
});

/** The id of a thing, with the name that the account gave it. */
export const nameOf = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? id : `${id} '${name}'`;

/** `vpc-1 'lab', 10.0.0.0/16: 3 subnets with 740 free addresses` */
export function networkLine({ network, subnets, free_addresses }: UsableNetwork): string {
  const block = network.address_block === null ? '' : `, ${network.address_block}`;
  const standard = network.is_default ? ' (default)' : '';
  const free = free_addresses === null ? '' : ` with ${free_addresses} free addresses`;
  return `${nameOf(network)}${standard}${block}: ${subnets.length} subnet${subnets.length === 1 ? '' : 's'}${free}`;
}
