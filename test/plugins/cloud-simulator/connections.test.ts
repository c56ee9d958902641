import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type Cloud, openCloud } from './support.ts';

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

function call(body: string, target = '/'): string {
  const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}

const regions = 'Action=DescribeRegions&Version=2016-11-15';

/** A connection of its own: what is sent over it is answered until so many answers have come, or it is closed. */
async function talk(t: ExecutionContext, { simulator }: Cloud, sent: string, answers: number): Promise<string[]> {
  const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(sent);
  let heard = '';
  for await (const chunk of socket) {
    heard += String(chunk);
    const found = heard.match(/HTTP\/1\.1 \d+|<Code>\w+|"error":"[^"]*/g) ?? [];
    if (
      found.filter((one) => one.startsWith('HTTP')).length >= answers &&
      heard.endsWith(heard.includes('"error"') ? '}' : '>')
    )
      return found;
  }
  return heard.match(/HTTP\/1\.1 \d+/g) ?? [];
}

test('calls that follow each other without waiting are all answered, in order, however long the first takes', async (t) => {
  const cloud = await openCloud(t, { knobs: { latency_ms: { DescribeRegions: 30 } } });
  const sent = call(regions) + call('Action=Nothing&Version=2016-11-15') + call(regions);
  t.deepEqual(await talk(t, cloud, sent, 3), ['HTTP/1.1 200', 'HTTP/1.1 400', '<Code>InvalidAction', 'HTTP/1.1 200']);
});

test('the calls that wait on a dropped connection are not answered', async (t) => {
  const knobs = { faults: [{ action: 'DescribeRegions', nth: 2, effect: 'execute', then: 'drop' }] } as const;
  const cloud = await openCloud(t, { knobs: { latency_ms: { DescribeRegions: 30 }, ...knobs } });
  t.deepEqual(await talk(t, cloud, call(regions) + call(regions) + call(regions), 3), ['HTTP/1.1 200']);
});

for (const target of ['//', 'http://', 'http://[/']) {
  test(`the target ${target}, which is no URL, is told so`, async (t) => {
    const heard = await talk(t, await openCloud(t), call(regions, target), 1);
    t.deepEqual(heard, ['HTTP/1.1 400', `"error":"Not a URL: ${target}`]);
  });
}

test('a body that is too large is refused, and the next call on its connection answered', async (t) => {
  const sent = call('x'.repeat(9_000_000), '/_sim/knobs') + call('', '/_sim/nothing');
  const heard = await talk(t, await openCloud(t), sent, 2);
  t.deepEqual(
    heard.filter((one) => one.startsWith('HTTP')),
    ['HTTP/1.1 413', 'HTTP/1.1 404'],
  );
});

test('a parameter of a hundred thousand steps is unknown', async (t) => {
  const deep = `${regions.replace('Regions', 'Instances')}&Filter.1${'.1'.repeat(100_000)}=x`;
  t.deepEqual(await talk(t, await openCloud(t), call(deep), 1), ['HTTP/1.1 400', '<Code>UnknownParameter']);
});
