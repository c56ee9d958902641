import test, { type ExecutionContext } from 'ava';
import { isFault, type AccountContents } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { twoVpcs } from '../../support/two-vpcs.ts';
import { stage, type Stage } from './support.ts';

async function staged(t: ExecutionContext, knobs: object): Promise<Stage> {
  const stand = await stage({}, {}, { knobs });
  t.teardown(() => stand.close());
  return stand;
}
const discover = ({ session, call }: Stage) => cloud.discover?.(session, call) as Promise<AccountContents>;

test('the contents of an account are its VPCs, subnets with free addresses, groups, key pairs and images', async (t) => {
  const stand = await staged(t, twoVpcs);
  const { networks, subnets, security_groups, key_pairs, images, incomplete } = await discover(stand);
  t.deepEqual(
    networks.map(({ is_default, name }) => [is_default, name]),
    [
      [true, null],
      [false, 'lab'],
    ],
  );
  const lab = subnets.filter(({ network_id }) => network_id === 'vpc-lab');
  t.deepEqual(
    lab.map(({ id, name, zone, free_addresses }) => [id, name, zone, free_addresses]),
    [
      ['subnet-a', 'lab a', 'us-east-1a', 251],
      ['subnet-b', null, 'us-east-1b', 0],
    ],
  );
  t.deepEqual(
    security_groups.find(({ id }) => id === 'sg-lab'),
    { id: 'sg-lab', name: 'workers', network_id: 'vpc-lab' },
  );
  t.deepEqual(key_pairs, [{ name: 'ops' }, { name: 'night' }]);
  t.is(images[0]?.image_id, 'resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64');
  t.deepEqual(incomplete, []);
});

test('a list that spans pages is read to its end', async (t) => {
  const vpcs = Array.from({ length: 12 }, (_, index) => ({
    vpc_id: `vpc-${index}`,
    security_groups: [{ group_id: `sg-${index}`, group_name: 'mine' }],
  }));
  const { networks, security_groups } = await discover(await staged(t, { vpcs, limits: { page_size: 5 } }));
  t.is(networks.length, 13);
  t.is(security_groups.filter(({ name }) => name === 'mine').length, 12);
});

for (const [action, list] of [
  ['DescribeVpcs', 'networks'],
  ['DescribeSubnets', 'subnets'],
  ['DescribeSecurityGroups', 'security_groups'],
  ['DescribeKeyPairs', 'key_pairs'],
  ['GetParameters', 'images'],
] as const)
  test(`without the permission ${action} the list ${list} is empty and said to be incomplete`, async (t) => {
    const contents = await discover(await staged(t, { auth: { denied: [{ action }] } }));
    t.deepEqual(contents[list], []);
    t.deepEqual(
      contents.incomplete.map((each) => each.list),
      [list],
    );
    t.regex(contents.incomplete[0]?.message ?? '', new RegExp(`^The permission (ec2|ssm):${action} is missing\\.`));
  });

test('an account without a default VPC has no default network', async (t) => {
  const { networks, subnets } = await discover(await staged(t, { default_vpc: false }));
  t.deepEqual(networks, []);
  t.deepEqual(subnets, []);
});

test('credentials that are refused are a fault', async (t) => {
  const error = await t.throwsAsync(discover(await staged(t, { auth: { known_keys: [] } })));
  t.true(isFault(error) && error.kind === 'credentials');
});

test('the operation answers a cloud that refuses the keys, and a type without discover, with a sentence', async (t) => {
  const { call, simulator, close } = await bootBroker({ storage: 'memory' });
  t.teardown(close);
  simulator.setKnobs({ auth: { known_keys: [] } });
  const refused = await call('GET', '/providers/east/discover');
  t.is(refused.status, 503);
  t.regex(refused.body.message ?? refused.body.error?.message, /AWS refused the credentials of 'east'/);
  simulator.setKnobs({ auth: { known_keys: null } });
  const { status, body } = await call('GET', '/providers/east/discover');
  t.is(status, 200);
  t.is(body.networks.length, 1);
  t.is((await call('GET', '/providers/nowhere/discover')).status, 404);
});

test('a discovery asks for nothing that changes the account', async (t) => {
  const stand = await staged(t, {});
  await discover(stand);
  t.true(stand.simulator.audit().every(({ action }) => /^(Describe|Get)/.test(action)));
});
