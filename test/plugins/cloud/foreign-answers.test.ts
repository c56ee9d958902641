import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { cloud, describeInstances } from '../../../plugins/cloud/index.ts';
import { quietCall, contextOf } from './support.ts';

const head = '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">';
for (const [what, body, said] of [
  ['a page of a proxy', '<html><body>Please log in</body></html>', 'has no list of machines'],
  ['nothing', '', 'has no list of machines'],
  [
    'a list without its end',
    `${head}<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>`,
    'ended within its list of machines',
  ],
] as const)
  test(`${what} in place of a list of machines is a fault that says so, and never no machines`, async (t) => {
    const server = createServer((_, response) => void response.end(body));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const session = await cloud.connect(
      {
        endpoint_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        access_key_id: 'AKIATEST000000000000',
        secret_access_key: 'a-secret-that-nobody-sees',
      },
      contextOf({}),
    );
    t.teardown(() => {
      session.close();
      server.close();
    });
    const fault = await t.throwsAsync<ProviderFault>(describeInstances(session, [], quietCall()));
    t.is(fault?.kind, 'unavailable');
    t.is(
      fault?.message,
      `DescribeInstances: The answer ${said}${said.startsWith('has') ? ', and not even an empty one' : ''}. Check that the endpoint and what lies before it answer as EC2 does. Error Code: InvalidAnswer`,
    );
  });
