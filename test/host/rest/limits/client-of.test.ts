import test from 'ava';
import fc from 'fast-check';
import { clientOf } from '../../../../host/http/client-address.ts';

const client = (ip: string, remoteAddress: string | undefined = '10.0.0.9') =>
  clientOf({ ip, socket: { remoteAddress } as never });

test('an IPv4 address is one client, in every form that the system reports', (t) => {
  t.is(client('192.0.2.7'), '192.0.2.7');
  t.is(client('::ffff:192.0.2.7'), '192.0.2.7');
  t.is(client('::FFFF:192.0.2.7'), '192.0.2.7');
});

test('this host is one client, with any of its loopback addresses', (t) => {
  for (const address of ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '::ffff:127.8.9.1'])
    t.is(client(address), '127.0.0.1', address);
  t.not(client('128.0.0.1'), '127.0.0.1');
});

test('an IPv6 network of one customer is one client', (t) => {
  t.is(client('2001:db8:1:2::1'), '2001:db8:1:2::/64');
  t.is(client('2001:0DB8:0001:0002:ffff:ffff:ffff:ffff'), '2001:db8:1:2::/64');
  t.not(client('2001:db8:1:3::1'), client('2001:db8:1:2::1'));
  for (const [address, expected] of [
    ['::2', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['1:2:3::4:5:192.0.2.7', '1:2:3:0::/64'],
  ] as const)
    t.is(client(address), expected, address);
});

test('the lower half of an IPv6 address says nothing', (t) => {
  const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, (upper, one, other) => {
      const written = (lower: readonly number[]) =>
        new URL(`http://[${[...upper, ...lower].map((n) => n.toString(16)).join(':')}]`);
      // The URL writes it in its short form.
      const shown = (lower: readonly number[]) => client(written(lower).hostname.slice(1, -1));
      return shown(one) === shown(other) && shown(one) === `${upper.map((n) => n.toString(16)).join(':')}::/64`;
    }),
  );
  t.pass();
});

test('a text that is no address is not believed: the connection counts', (t) => {
  for (const text of ['me', '', 'x'.repeat(10_000), '1.2.3', '1.2.3.4:80', ':::1'])
    t.is(client(text), '10.0.0.9', text.slice(0, 20));
  t.is(clientOf({ ip: undefined as never, socket: { remoteAddress: undefined } as never }), 'unknown');
});
