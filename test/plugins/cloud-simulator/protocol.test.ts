import test from 'ava';
import { accountOf } from '../../../plugins/cloud-simulator/wire/caller.ts';
import { openCloud } from './support.ts';

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

async function post(url: string, body: string, headers: Record<string, string> = { authorization }) {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  return `${response.status} ${(await response.text()).replaceAll('\n', '')}`;
}

const refused: readonly [name: string, body: string, expected: RegExp][] = [
  [
    'an unknown action of EC2',
    'Action=MakeCoffee&Version=2016-11-15',
    /^400 .*<Response><Errors><Error><Code>InvalidAction</,
  ],
  [
    'an unknown action of Auto Scaling',
    'Action=MakeCoffee&Version=2011-01-01',
    /^400 .*<ErrorResponse .*<Code>InvalidAction</,
  ],
  ['an unknown action of STS', 'Action=MakeCoffee&Version=2011-06-15', /^400 .*<ErrorResponse .*<Code>InvalidAction</],
  [
    'an action of EC2 in the version of STS',
    'Action=RunInstances&Version=2011-06-15',
    /^400 .*<ErrorResponse .*<Code>InvalidAction</,
  ],
  [
    'an unknown version',
    'Action=DescribeRegions&Version=1999-01-01',
    /^400 .*<Response><Errors><Error><Code>InvalidAction</,
  ],
  ['no action', 'Version=2016-11-15', /^400 .*<Response><Errors><Error><Code>MissingAction</],
  ['an empty action of Auto Scaling', 'Action=&Version=2011-01-01', /^400 .*<ErrorResponse .*<Code>MissingAction</],
  ['nothing at all', '', /^400 .*<Response><Errors><Error><Code>MissingAction</],
];
for (const [name, body, expected] of refused) {
  test(`${name} is refused in the dialect of the version, and is no call in the audit`, async (t) => {
    const { simulator } = await openCloud(t);
    t.regex(await post(simulator.url, body), expected);
    t.deepEqual(simulator.audit(), []);
  });
}

test('a caller without a key is refused', async (t) => {
  const { simulator } = await openCloud(t);
  t.regex(
    await post(simulator.url, 'Action=DescribeInstances&Version=2016-11-15', {}),
    /^401 .*<Code>AuthFailure<\/Code>/,
  );
  t.regex(
    await post(simulator.url, 'Action=DescribeInstances&Version=2016-11-15', { authorization: 'Basic x' }),
    /^401 /,
  );
});

test('GET with a query does what POST does', async (t) => {
  const { simulator } = await openCloud(t);
  const query =
    'Action=RunInstances&Version=2016-11-15&ImageId=ami-1&InstanceType=t3.micro&MinCount=1&MaxCount=1&ClientToken=one';
  const response = await fetch(`${simulator.url}/?${query}`, { headers: { authorization } });
  t.is(response.status, 200);
  const id = /i-[0-9a-f]{17}/.exec(await response.text())?.[0];
  t.deepEqual(simulator.ledger().untagged, [id]);
  t.true((await post(simulator.url, query)).includes(id ?? '?'));
  t.deepEqual(simulator.ledger().launches, { one: 1 });
});

test('answers carry the id of the request in the body and in the head, and STS wraps its result', async (t) => {
  const { simulator } = await openCloud(t);
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(simulator.url, {
    method: 'POST',
    headers,
    body: 'Action=GetCallerIdentity&Version=2011-06-15',
  });
  const body = await response.text();
  t.regex(
    body,
    new RegExp(
      `<GetCallerIdentityResult>.*<Account>${accountOf('AKIATEST0001')}</Account>.*</GetCallerIdentityResult>`,
    ),
  );
  t.true(body.includes(`<RequestId>${response.headers.get('x-amzn-requestid')}</RequestId>`));
});

test('an exception in the simulator is answered as an error of the cloud', async (t) => {
  const { simulator } = await openCloud(t);
  const state = simulator.state.region(accountOf('AKIATEST0001'), 'us-east-1');
  state.timers.plan(simulator.clock.now(), () => {
    throw new Error('oops');
  });
  t.regex(
    await post(simulator.url, 'Action=DescribeInstances&Version=2016-11-15'),
    /^500 .*<Code>InternalError<.*oops/,
  );
  t.regex(await post(simulator.url, 'Action=DescribeInstances&Version=2016-11-15'), /^200 /);
});
