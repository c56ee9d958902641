import test, { type ExecutionContext } from 'ava';
import { silentLog, type BrokerEvent, type EventSink, type Store } from '../../../../core/index.ts';
import { EventDelivery, type DeliveryParts } from '../../../../core/reconciler/background/event-delivery.ts';
import { EventRetention } from '../../../../core/reconciler/background/retention/event-retention.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { keepRunning } from '../../../support/keep-running.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { aBroker } from '../../../../plugin-testkit/storage/records.ts';

const brokerOf =
  (thread: number, host = 'here') =>
  () =>
    aBroker({ host, thread });

class Kept implements EventSink {
  readonly name: string;
  readonly got: number[] = [];
  /** Replaces the delivery of a batch. */
  instead: (() => Promise<void>) | undefined;
  calls = 0;

  constructor(name = 'kept') {
    this.name = name;
  }

  async deliver(events: readonly BrokerEvent[]): Promise<void> {
    this.calls += 1;
    if (this.instead) return this.instead();
    this.got.push(...events.map(({ data }) => data['n'] as number));
  }
}

async function bench(t: ExecutionContext) {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  let n = 0;
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const delivery = (sinks: readonly EventSink[], parts: Partial<DeliveryParts> = {}) =>
    new EventDelivery({
      store,
      clock,
      log: silentLog,
      settings: { lease_ms: 30_000 },
      broker: brokerOf(1),
      sinks,
      signal: stopping.signal,
      ...parts,
    });
  return {
    clock,
    store,
    delivery,
    async journal(count: number): Promise<void> {
      for (let i = 0; i < count; i++)
        await store.commit([
          { op: 'insert', kind: 'event', record: { seq: 0, at: clock.now(), type: 'something', data: { n: ++n } } },
        ]);
    },
    /** Advances the clock by seconds, with a round of the loop in each. */
    async pass(seconds: number, ...deliveries: readonly EventDelivery[]): Promise<void> {
      for (let i = 0; i < seconds; i++) {
        for (const each of deliveries) each.begin();
        await clock.advance(1_000);
      }
    },
  };
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('a new sink starts with the next event and gets every event in order, once', async (t) => {
  const { delivery, journal, pass } = await bench(t);
  await journal(3);
  const sink = new Kept();
  const running = delivery([sink]);
  await pass(1, running);
  await journal(450);
  await pass(3, running);
  t.deepEqual(sink.got, upTo(453, 4));
});

test('a sink that throws gets the same events again with growing waits, logs one line, and delays no other sink', async (t) => {
  const { delivery, journal, pass } = await bench(t);
  const [good, bad] = [new Kept('good'), new Kept('bad')];
  const told: string[] = [];
  const log = {
    ...silentLog,
    error: (_: unknown, line: string) => void told.push(line),
    info: (_: unknown, line: string) => void told.push(line),
  };
  const running = delivery([good, bad], { log });
  await pass(1, running);
  bad.instead = () => Promise.reject(new Error('no room'));
  await journal(5);
  await pass(60, running);
  t.deepEqual(good.got, upTo(5));
  t.true(bad.calls >= 5 && bad.calls <= 8, String(bad.calls));
  t.deepEqual(told, ["Event sink 'bad' does not accept events; they are kept and delivered again later. no room"]);
  bad.instead = undefined;
  await journal(1);
  await pass(70, running);
  t.deepEqual(bad.got, upTo(6));
  t.regex(told.at(-1) ?? '', /'bad' accepts events again/);
});

test('a delivery that hangs ends after a time-out and delays no other sink', async (t) => {
  keepRunning(t);
  const { delivery, journal, pass } = await bench(t);
  const [good, bad] = [new Kept('good'), new Kept('bad')];
  const running = delivery([bad, good], { deliver_ms: 20 });
  await pass(1, running);
  bad.instead = () => new Promise(() => undefined);
  await journal(2);
  await pass(2, running);
  t.deepEqual(good.got, [1, 2]);
  // The guard waits two seconds of real time.
  await running.idle();
  bad.instead = undefined;
  await pass(3, running);
  t.deepEqual(bad.got, [1, 2]);
});

test('events whose delivery was not stored are delivered again by the next process: at least once, and in order', async (t) => {
  const { delivery, journal, pass, store } = await bench(t);
  const sink = new Kept();
  const first = delivery([sink], { store: failingAt(store, 2), broker: brokerOf(1) });
  await pass(1, first);
  await journal(2);
  await pass(2, first);
  t.deepEqual(sink.got, [1, 2]);
  first[Symbol.dispose]();
  // The same process with a newer loop thread: the lease of the old one is free immediately.
  const second = delivery([sink], { broker: brokerOf(2) });
  await journal(1);
  await pass(2, second);
  t.deepEqual(sink.got, [1, 2, 1, 2, 3]);
});

test('of two processes one delivers, and the other continues when the first gave its lease back or let it end', async (t) => {
  const { delivery, journal, pass, clock } = await bench(t);
  const sinks = [new Kept(), new Kept()] as const;
  // Both processes count as alive.
  const one = delivery([sinks[0]], { broker: brokerOf(1, 'one') });
  const two = delivery([sinks[1]], { broker: brokerOf(1, 'two') });
  await pass(1, one);
  await journal(3);
  await pass(6, one, two);
  t.deepEqual([sinks[0].got, sinks[1].got], [[1, 2, 3], []]);
  await one.idle();
  await journal(1);
  await pass(6, two);
  t.deepEqual(sinks[1].got, [4]);
  // The second process is silent, so its lease ends by itself.
  await journal(1);
  await pass(15, one);
  t.deepEqual(sinks[0].got, [1, 2, 3]);
  await clock.advance(60_000);
  await pass(6, one);
  t.deepEqual(sinks[0].got, [1, 2, 3, 5]);
});

test('events are kept for a sink that has not received them, but not for one without a delivery for two months', async (t) => {
  const { delivery, journal, pass, store, clock } = await bench(t);
  const day = 86_400_000;
  const sink = new Kept();
  const running = delivery([sink]);
  await pass(1, running);
  await journal(1);
  await pass(2, running);
  sink.instead = () => Promise.reject(new Error('closed'));
  await journal(3);
  await pass(2, running);
  await clock.advance(31 * day);
  await new EventRetention(store, clock).run();
  t.is(await store.count('event', {}), 3);
  await clock.advance(30 * day);
  await new EventRetention(store, clock).run();
  t.is(await store.count('event', {}), 0);
});

/** A store whose commits fail from one number on, as after a kill of the process. */
function failingAt(store: Store, nth: number): Store {
  let commits = 0;
  return new Proxy(store, {
    get: (of, name) => {
      const value = of[name as keyof Store] as unknown;
      if (name === 'commit')
        return (changes: Parameters<Store['commit']>[0]) =>
          ++commits >= nth ? Promise.reject(new Error('killed')) : store.commit(changes);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

test('a sink that stops before the end of a batch goes on behind what it delivered', async (t) => {
  const { delivery, journal, pass } = await bench(t);
  const got: number[] = [];
  let fails = false;
  const sink: EventSink = {
    name: 'slow',
    async deliver(events) {
      if (fails) throw new Error('not now');
      const some = events.slice(0, 3);
      got.push(...some.map(({ data }) => data['n'] as number));
      return some.length;
    },
  };
  const running = delivery([sink]);
  await pass(1, running);
  await journal(10);
  await pass(2, running);
  t.deepEqual(got, upTo(10));
  fails = true;
  await journal(2);
  await pass(1, running);
  fails = false;
  await pass(5, running);
  t.deepEqual(got, upTo(12));
});

for (const count of [0, -1, 1.5, 11, Number.NaN])
  test(`a sink that says it delivered ${count} of 10 events gets them again`, async (t) => {
    const { delivery, journal, pass } = await bench(t);
    let calls = 0;
    const sink: EventSink = {
      name: 'wrong',
      async deliver(events) {
        calls += 1;
        return calls < 3 ? count : events.length;
      },
    };
    const running = delivery([sink]);
    await pass(1, running);
    await journal(10);
    await pass(8, running);
    t.is(calls, 3);
  });
