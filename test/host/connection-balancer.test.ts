import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { ConnectionBalancer, type SendToWorker } from '../../host/cluster/connection-balancer.ts';
import { until } from '../support/boot-broker.ts';

/** A dealer, callers of it, and hands that note what they were given. */
async function table(t: ExecutionContext) {
  const balancer = new ConnectionBalancer();
  const { port } = await balancer.listen('127.0.0.1', 0);
  const given: { readonly hand: string; readonly id: number; readonly socket: Socket }[] = [];
  const callers: Socket[] = [];
  t.teardown(() => {
    balancer.close();
    for (const socket of [...callers, ...given.map(({ socket }) => socket)]) socket.destroy();
  });
  return {
    balancer,
    given,
    hand:
      (hand: string): SendToWorker =>
      (id, _, socket) =>
        void given.push({ hand, id, socket }),
    async call(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      callers.push(socket);
      await new Promise<void>((resolve) => void socket.once('connect', resolve));
      return socket;
    },
    names: () => given.map(({ hand }) => hand).join(''),
  };
}

test('connections go to the workers in turn, and wait while there is none', async (t) => {
  const { balancer, call, hand, names, given } = await table(t);
  await call();
  await call();
  await new Promise((resolve) => void setTimeout(resolve, 20));
  t.is(given.length, 0);
  balancer.join(1, hand('a'));
  t.is(names(), 'aa');
  balancer.join(2, hand('b'));
  for (let times = 0; times < 4; times++) await call();
  await until(async () => given.length === 6);
  t.is(names(), 'aaabab');
});

test('what a worker had not taken when it died goes to another; what it had taken does not', async (t) => {
  const { balancer, call, hand, names, given } = await table(t);
  balancer.join(1, hand('a'));
  const [first, second] = [await call(), await call()];
  await until(async () => given.length === 2);
  const [taken, left] = given;
  balancer.taken(taken!.id);
  t.true(taken!.socket.destroyed);
  balancer.join(2, hand('b'));
  balancer.leave(1);
  t.is(names(), 'aab');
  t.is(given[2]!.socket, left!.socket);
  t.false(left!.socket.destroyed);
  given[2]!.socket.end('from b');
  const answers = await Promise.all(
    [first, second].map(
      (socket) =>
        new Promise<string>((resolve) =>
          socket.once('data', (data) => resolve(data.toString())).once('end', () => resolve('')),
        ),
    ),
  );
  t.deepEqual(answers.toSorted(), ['', 'from b']);
});

test('a worker that cannot be reached gets no more connections, and its connection goes to another; a broken connection removes no worker', async (t) => {
  const { balancer, call, hand, names, given } = await table(t);
  balancer.join(1, (_id, _local, _socket, failed) => failed('worker'));
  balancer.join(2, hand('b'));
  await call();
  await call();
  await until(async () => given.length === 2);
  t.is(names(), 'bb');
  let broken = 0;
  balancer.join(3, (_id, _local, _socket, failed) => {
    broken += 1;
    failed('connection');
  });
  for (let times = 0; times < 4; times++) await call();
  await until(async () => given.length === 4 && broken === 2);
});
