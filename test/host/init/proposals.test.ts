import test from 'ava';
import type { AccountContents } from '../../../core/index.ts';
import { groupsFor, usableNetworks, whyNoNetwork } from '../../../host/init/proposals.ts';

const empty: AccountContents = {
  networks: [],
  subnets: [],
  security_groups: [],
  key_pairs: [],
  images: [],
  incomplete: [],
};
const network = (id: string, is_default = false) => ({ id, name: null, address_block: null, is_default });
const subnet = (id: string, network_id: string, zone: string | null, free_addresses: number | null) => ({
  id,
  name: null,
  network_id,
  zone,
  address_block: null,
  free_addresses,
});

test('each zone contributes its subnet with the most free addresses, and a full subnet none', (t) => {
  const [usable] = usableNetworks({
    ...empty,
    networks: [network('n')],
    subnets: [
      subnet('full', 'n', 'a', 0),
      subnet('small', 'n', 'b', 3),
      subnet('large', 'n', 'b', 30),
      subnet('other', 'n', 'c', 10),
    ],
  });
  t.deepEqual(
    usable?.subnets.map(({ id }) => id),
    ['large', 'other'],
  );
  t.is(usable?.free_addresses, 40);
});

test('the default network comes first, then the one with the most free addresses', (t) => {
  const contents = {
    ...empty,
    networks: [network('small'), network('large'), network('default', true), network('none')],
    subnets: [subnet('1', 'small', 'a', 5), subnet('2', 'large', 'a', 50), subnet('3', 'default', 'a', 1)],
  };
  t.deepEqual(
    usableNetworks(contents).map((each) => each.network.id),
    ['default', 'large', 'small'],
  );
});

test('a subnet whose addresses are not counted can be used', (t) => {
  const contents = { ...empty, networks: [network('n')], subnets: [subnet('six', 'n', 'a', null)] };
  t.is(usableNetworks(contents)[0]?.free_addresses, null);
});

test('it is said why no network can be used: none is there, none has subnets, all are full, or they cannot be read', (t) => {
  const one = { ...empty, networks: [network('n')] };
  t.regex(whyNoNetwork(empty, 'here'), /^There is no network here\. Create a VPC/);
  t.regex(whyNoNetwork(one, 'here'), /^The networks here have no subnets: n\./);
  t.regex(
    whyNoNetwork({ ...one, subnets: [subnet('s', 'n', 'a', 0)] }, 'here'),
    /^No subnet here has a free address: s \(a\)\./,
  );
  const unread = { ...empty, incomplete: [{ list: 'subnets' as const, message: 'Denied.' }] };
  t.regex(whyNoNetwork(unread, 'here'), /^The subnets here cannot be read\. Denied\./);
});

test('machines get the group default of their network, else its only group, else that of the provider', (t) => {
  const group = (id: string, name: string, network_id = 'n') => ({ id, name, network_id });
  const groups = (...security_groups: AccountContents['security_groups']) =>
    groupsFor({ ...empty, security_groups }, network('n'));
  t.deepEqual(groups(group('1', 'web'), group('2', 'default'), group('3', 'default', 'other')), ['2']);
  t.deepEqual(groups(group('1', 'web'), group('3', 'default', 'other')), ['1']);
  t.deepEqual(groups(group('1', 'web'), group('2', 'db')), []);
});
