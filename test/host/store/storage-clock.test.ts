import test from 'ava';
import { silentLog, type Clock } from '../../../core/index.ts';
import { storageClock } from '../../../host/store/storage-clock.ts';

/** A host and a storage with clocks of their own. */
class World {
  wall = 1_000_000;
  monotonic = 50;
  storage = 5_000_000;
  asked = 0;
  serves = true;
  readonly host: Clock = {
    now: () => this.wall,
    monotonic: () => this.monotonic,
    sleep: () => Promise.resolve(),
  };

  readonly now = async (): Promise<number> => {
    this.asked += 1;
    if (!this.serves) throw new Error('It does not answer.');
    return this.storage;
  };

  pass(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
    this.storage += ms;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the clock shows the time of the storage, and asks for it rarely', async (t) => {
  const world = new World();
  const clock = await storageClock(world.host, world.now, silentLog);
  t.is(clock.now(), world.storage);
  for (let i = 0; i < 100; i += 1) {
    world.pass(90);
    t.is(clock.now(), world.storage);
  }
  t.is(world.asked, 1);
  world.pass(2_000);
  clock.now();
  await turn();
  t.is(world.asked, 2);
});

test('a clock of the host that is set moves nothing once the storage has answered', async (t) => {
  const world = new World();
  const clock = await storageClock(world.host, world.now, silentLog);
  for (const jump of [600_000, -3_600_000]) {
    world.wall += jump;
    clock.now();
    await turn();
    t.is(clock.now(), world.storage, `${jump} ms`);
  }
});

test('after a suspension of the host the clock is never behind, also while the storage does not answer', async (t) => {
  const world = new World();
  const clock = await storageClock(world.host, world.now, silentLog);
  world.wall += 60_000;
  world.storage += 60_000;
  world.serves = false;
  t.true(clock.now() >= world.storage);
  await turn();
  t.true(clock.now() >= world.storage);
  world.serves = true;
  await turn();
  clock.now();
  await turn();
  t.is(clock.now(), world.storage);
});

test('a storage whose clock changes, as after a switch to another server, is followed', async (t) => {
  const world = new World();
  const clock = await storageClock(world.host, world.now, silentLog);
  world.storage -= 30_000;
  world.pass(11_000);
  clock.now();
  await turn();
  t.is(clock.now(), world.storage);
});
