import test from 'ava';
import { poolsOf, shortfallOf, type CloudTemplate } from '../../../plugins/cloud/index.ts';

const template = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'm5.xlarge': 1 },
  subnet_ids: ['subnet-1', 'subnet-2'],
  price_type: 'mixed',
} as unknown as CloudTemplate;
const pools = poolsOf(template);
const zones = new Map([
  ['subnet-1', 'us-east-1a'],
  ['subnet-2', 'us-east-1b'],
]);
const said = (sub_type: string, description: string) =>
  shortfallOf([{ sub_type, description }], pools, zones)
    .map(({ offer, kind, code }) => `${offer} ${kind} ${code}`)
    .toSorted();
const spotKeys = [
  'm5.large|subnet-1|spot',
  'm5.large|subnet-2|spot',
  'm5.xlarge|subnet-1|spot',
  'm5.xlarge|subnet-2|spot',
];

test('a reason concerns the pools that match all parts that it names', (t) => {
  t.deepEqual(
    said(
      'launchSpecTemporarilyBlacklisted',
      'Repeated errors have occurred processing the launch specification "m5.large, ami-1, Linux/UNIX, us-east-1a while launching spot instance". Error message: no Spot capacity (Service: AmazonEC2; Status Code: 500; Error Code: InsufficientInstanceCapacity)',
    ),
    ['m5.large|subnet-1|spot capacity InsufficientInstanceCapacity'],
  );
  t.deepEqual(
    said(
      'launchSpecTemporarilyBlacklisted',
      'On-Demand launch failed: not sufficient m5.xlarge capacity (Error Code: InsufficientInstanceCapacity).',
    ),
    [
      'm5.xlarge|subnet-1|on-demand capacity InsufficientInstanceCapacity',
      'm5.xlarge|subnet-2|on-demand capacity InsufficientInstanceCapacity',
    ],
  );
  t.deepEqual(
    said('launchSpecTemporarilyBlacklisted', 'Spot launch failed. (Error Code: InsufficientInstanceCapacity).'),
    spotKeys.map((key) => `${key} capacity InsufficientInstanceCapacity`),
  );
});

test('a reason that all pools failed concerns the whole market', (t) => {
  t.deepEqual(
    said(
      'allLaunchSpecsTemporarilyBlacklisted',
      'Spot launch of m5.large in us-east-1a failed (Error Code: InsufficientInstanceCapacity).',
    ),
    spotKeys.map((key) => `${key} capacity InsufficientInstanceCapacity`),
  );
});

test('a reason without a pool concerns the whole order', (t) => {
  t.deepEqual(said('iamFleetRoleInvalid', ''), ['undefined invalid UnauthorizedOperation']);
  t.deepEqual(
    said('spotInstanceCountLimitExceeded', 'Max instance count exceeded (Error Code: MaxSpotInstanceCountExceeded)'),
    ['undefined quota MaxSpotInstanceCountExceeded'],
  );
});

test('a type that the zone does not offer lacks capacity there, and the message names its code once, at its end', (t) => {
  const description =
    'On-Demand launch failed: Your requested instance type (m5.large) is not supported in your requested Availability Zone (us-east-1a). (Service: AmazonEC2; Status Code: 400; Error Code: InvalidFleetConfiguration; Request ID: 1-2).';
  const [found, ...more] = shortfallOf(
    [{ sub_type: 'spotFleetRequestConfigurationInvalid', description }],
    pools,
    zones,
  );
  t.deepEqual(more, []);
  t.is(found?.lack, undefined);
  t.like(found, { offer: 'm5.large|subnet-1|on-demand', kind: 'capacity', code: 'InvalidFleetConfiguration' });
  t.is(
    found?.message,
    'On-Demand launch failed: Your requested instance type (m5.large) is not supported in your requested Availability Zone (us-east-1a). Error Code: InvalidFleetConfiguration',
  );
});

test('an error without a message, or about a pool that the order does not have, is no reason', (t) => {
  t.deepEqual(said('fleetProgressHalted', ''), []);
  t.deepEqual(
    said(
      'launchSpecTemporarilyBlacklisted',
      'm5.large in eu-west-9z, on-demand (Error Code: InsufficientInstanceCapacity)',
    ),
    [],
  );
});
