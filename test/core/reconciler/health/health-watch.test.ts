import test from 'ava';
import { ProviderFault, silentLog, type FaultKind, type Store } from '../../../../core/index.ts';
import { HealthWatch } from '../../../../core/reconciler/health/health-watch.ts';
import { Facts } from '../../../../core/providers/facts.ts';
import type { SessionPool } from '../../../../core/providers/guard/session-pool.ts';
import type { Verb } from '../../../../core/providers/guard/time-outs.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';

const east = { name: 'east', type: 'fake', enabled: true, config: { password: 'old' } } as never;

/** `answers` is the result of a check: a fault, or undefined for a success. */
async function bench(store?: Store) {
  const clock = new FakeClock();
  const opened = store ?? (await memoryDriver().open({}, { clock, log: silentLog }));
  const facts = new Facts(opened, clock, [east]);
  await facts.follow();
  const health = new HealthWatch(facts, clock, silentLog);
  const cloud = {
    answers: undefined as ProviderFault | undefined,
    asked: 0,
    commits: 0,
    dormant: false,
    answer: Promise.resolve(),
  };
  const commit = opened.commit.bind(opened);
  opened.commit = (changes) => {
    cloud.commits += 1;
    return commit(changes);
  };
  const type = {
    check: async () => {
      cloud.asked += 1;
      await cloud.answer;
      if (cloud.answers) {
        health.ended('east', 'check', { ms: 0, kind: cloud.answers.kind, fault: cloud.answers });
        throw cloud.answers;
      }
      health.ended('east', 'check', { ms: 0 });
    },
  };
  const pool = {
    connectForCheck: async () => ({ type }),
    connect: async () => {
      cloud.dormant = false;
    },
    isDormant: () => cloud.dormant,
  } as unknown as SessionPool;
  const { signal } = new AbortController();
  const round = () => health.check([east], pool, signal);
  return {
    store: opened,
    clock,
    facts,
    health,
    cloud,
    round,
    ask: () => health.askNow('east', pool, signal, 20_000),
    status: () => facts.health('east').status,
    /** Advances the clock with a round of the loop each second. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        await clock.advance(1_000);
        await round();
      }
    },
    fails: (kind: FaultKind, verb: Verb = 'observe', ms = 0) =>
      health.ended('east', verb, { ms, kind, fault: new ProviderFault(kind, `It is ${kind}.`) }),
    broke: (verb: Verb) =>
      health.ended('east', verb, {
        ms: 0,
        kind: 'unavailable',
        fault: new ProviderFault('unavailable', 'no handle', { code: 'PLUGIN_ERROR' }),
        misbehaved: true,
      }),
  };
}

test('an instance is unknown until its first answer; it is checked in the first round', async (t) => {
  const { facts, cloud, round, clock } = await bench();
  t.deepEqual(facts.health('east'), { status: 'unknown' });
  await round();
  t.is(cloud.asked, 1);
  t.deepEqual(facts.health('east'), { status: 'healthy', answered_at: clock.now() });
});

test('a dormant instance is not checked until its first use or a requested check', async (t) => {
  const { cloud, pass, status, ask } = await bench();
  cloud.dormant = true;
  await pass(300);
  t.deepEqual([cloud.asked, status()], [0, 'unknown']);
  t.like(await ask(), { status: 'healthy' });
  await pass(120);
  t.is(cloud.asked, 2);
});

test('a connection or a preparation is no answer of the provider', async (t) => {
  const { health, status } = await bench();
  health.ended('east', 'connect', { ms: 0 });
  health.ended('east', 'prepare', { ms: 0 });
  t.is(status(), 'unknown');
  health.ended('east', 'identity', { ms: 0 });
  t.is(status(), 'healthy');
});

test('an instance without an answer for two minutes is checked again', async (t) => {
  const { cloud, pass, health } = await bench();
  await pass(1);
  await pass(100);
  health.ended('east', 'observe', { ms: 0 });
  await pass(119);
  t.is(cloud.asked, 1);
  await pass(1);
  t.is(cloud.asked, 2);
});

for (const kind of ['unavailable', 'unknown-outcome'] as const)
  test(`an instance that stops answering (${kind}) is unhealthy after 30 s, and healthy after the first successful check`, async (t) => {
    const { cloud, pass, fails, status, facts } = await bench();
    await pass(1);
    cloud.answers = new ProviderFault('unavailable', 'The connection was refused.');
    fails(kind);
    await pass(29);
    t.is(status(), 'healthy');
    t.true(cloud.asked > 3, 'it is asked meanwhile whether it answers');
    await pass(1);
    t.like(facts.health('east'), { status: 'unhealthy', message: 'The connection was refused.' });
    cloud.answers = undefined;
    await pass(30);
    t.is(status(), 'healthy');
    t.is(facts.health('east').message, undefined);
  });

test('an instance that never answered is unhealthy after 30 s too', async (t) => {
  const { cloud, pass, status } = await bench();
  cloud.answers = new ProviderFault('unavailable', 'No such host.');
  await pass(30);
  t.is(status(), 'unknown');
  await pass(2);
  t.is(status(), 'unhealthy');
});

test('an answer in between ends the silence, whatever the answer is', async (t) => {
  for (const kind of ['throttled', 'capacity', 'quota', 'invalid', 'gone'] as const) {
    const { cloud, pass, fails, status } = await bench();
    await pass(1);
    cloud.answers = new ProviderFault('unavailable', 'No.');
    fails('unavailable');
    await pass(20);
    cloud.answers = undefined;
    fails(kind);
    await pass(60);
    t.is(status(), 'healthy', kind);
  }
});

test('a call without an answer for longer than that makes the instance unhealthy at its end', async (t) => {
  const { pass, fails, status } = await bench();
  await pass(1);
  await pass(40);
  fails('unavailable', 'observe', 31_000);
  t.is(status(), 'unhealthy');
});

test('an instance with refused credentials is unhealthy immediately', async (t) => {
  const { pass, fails, status, health } = await bench();
  await pass(1);
  fails('credentials');
  t.is(status(), 'unhealthy');
  health.ended('east', 'observe', { ms: 0 });
  t.is(status(), 'healthy');
});

test('calls that end because the loop stops are no evidence', async (t) => {
  const { health, status } = await bench();
  health.ended('east', 'observe', {
    ms: 60_000,
    kind: 'unavailable',
    fault: new ProviderFault('unavailable', 'No.'),
    aborted: true,
  });
  t.is(status(), 'unknown');
});

test('health is stored when it changes, and the time of the last answer once a minute', async (t) => {
  const { clock, cloud, pass, health } = await bench();
  await pass(1);
  const before = cloud.commits;
  for (let i = 0; i < 590; i++) {
    await clock.advance(100);
    health.ended('east', 'observe', { ms: 0 });
  }
  t.is(cloud.commits, before);
  for (let i = 0; i < 610; i++) {
    await clock.advance(100);
    health.ended('east', 'observe', { ms: 0 });
  }
  t.is(cloud.commits, before + 2);
});

test('changing messages of an unhealthy instance are stored once a minute', async (t) => {
  const { cloud, health, clock } = await bench();
  const refuse = (n: number) =>
    health.ended('east', 'observe', {
      ms: 0,
      kind: 'credentials',
      fault: new ProviderFault('credentials', `No, says call ${n}.`),
    });
  refuse(0);
  const before = cloud.commits;
  for (let n = 1; n < 60; n++) {
    await clock.advance(1_000);
    refuse(n);
  }
  t.is(cloud.commits, before);
  await clock.advance(1_000);
  refuse(60);
  t.is(cloud.commits, before + 1);
});

test('health that could not be stored is stored later', async (t) => {
  const { store, clock, pass, fails } = await bench();
  await pass(1);
  const commit = store.commit.bind(store);
  store.commit = () => Promise.reject(new Error('full'));
  fails('credentials');
  await clock.advance(1);
  store.commit = commit;
  await pass(2);
  const elsewhere = new Facts(store, clock, [east]);
  await elsewhere.follow();
  t.is(elsewhere.health('east').status, 'unhealthy');
  elsewhere[Symbol.dispose]();
});

test('health that was found with another configuration is ignored by every process', async (t) => {
  const { store, clock, fails } = await bench();
  fails('credentials');
  await clock.advance(1);
  const same = new Facts(store, clock, [east]);
  const mended = new Facts(store, clock, [{ ...(east as object), config: { password: 'new' } } as never]);
  await Promise.all([same.follow(), mended.follow()]);
  t.is(same.health('east').status, 'unhealthy');
  t.deepEqual(mended.health('east'), { status: 'unknown' });
  t.notRegex(JSON.stringify(await store.find('fact', {})), /old/, 'no secret is stored');
});

test('a requested check returns its result, and why there is no answer', async (t) => {
  const { clock, cloud, ask } = await bench();
  t.deepEqual(await ask(), { status: 'healthy', answered_at: clock.now(), checked_at: clock.now() });
  cloud.answers = new ProviderFault('credentials', 'The key is unknown.', { code: 'AuthFailure' });
  t.like(await ask(), {
    status: 'unhealthy',
    fault: { kind: 'credentials', code: 'AuthFailure', message: 'The key is unknown.' },
  });
  t.is(cloud.asked, 2);
});

test('a requested check has a time-out', async (t) => {
  const { clock, health } = await bench();
  const pool = {
    connectForCheck: () => new Promise(() => undefined),
    isDormant: () => false,
  } as unknown as SessionPool;
  const asked = health.askNow('east', pool, new AbortController().signal, 20_000);
  await clock.advance(20_000);
  t.like(await asked, {
    status: 'unknown',
    fault: { kind: 'unavailable', code: 'TIMEOUT', message: "'east' did not answer within 20 s." },
  });
});

test('an instance whose plugin broke its contract in one verb is unhealthy until that verb succeeds, whatever other verbs do', async (t) => {
  const { health, broke, status } = await bench();
  broke('launch');
  health.ended('east', 'observe', { ms: 0 });
  t.is(status(), 'unhealthy');
  health.ended('east', 'launch', { ms: 0 });
  t.is(status(), 'healthy');
});

test('without calls of the verb, a successful check gives a recovery chance, later after each failed one', async (t) => {
  const { clock, broke, round, status } = await bench();
  for (const seconds of [30, 60, 120, 240, 300]) {
    broke('launch');
    await clock.advance(seconds * 1_000 - 1);
    await round();
    t.is(status(), 'unhealthy', `${seconds} s are not over`);
    await clock.advance(1);
    await round();
    t.is(status(), 'healthy', `after ${seconds} s`);
  }
});

const of = (...templates: readonly string[]) =>
  templates.map((template_id) => ({ request_id: `req-${template_id}`, template_id }));
const breach = (verb: Verb, code: string, ...templates: readonly string[]) =>
  [
    'east',
    verb,
    {
      ms: 0,
      kind: 'unavailable',
      fault: new ProviderFault('unavailable', 'no handle', { code }),
      misbehaved: true,
      of: of(...templates),
    },
  ] as const;

test('a check that began before a breach of contract is no recovery chance', async (t) => {
  const { cloud, round, broke, status, pass } = await bench();
  const { promise, resolve } = Promise.withResolvers<void>();
  cloud.answer = promise;
  const first = round();
  broke('launch');
  resolve();
  await first;
  t.is(status(), 'unhealthy');
  await pass(29);
  t.is(status(), 'unhealthy');
  await pass(1);
  t.is(status(), 'healthy');
});

test('breaches in calls for requests count against the instance after three templates without a success', async (t) => {
  const { health, status, pass } = await bench();
  await pass(1);
  for (const template of ['a', 'a', 'b', 'b', 'a']) health.ended(...breach('launch', 'PLUGIN_ERROR', template));
  t.is(status(), 'healthy');
  health.ended('east', 'launch', { ms: 0, of: of('good') });
  for (const template of ['c', 'b']) health.ended(...breach('launch', 'PLUGIN_ERROR', template));
  t.is(status(), 'healthy');
  health.ended(...breach('observe', 'PLUGIN_ERROR', 'd'));
  t.is(status(), 'healthy');
  health.ended(...breach('launch', 'PLUGIN_ERROR', 'd'));
  t.is(status(), 'unhealthy');
});

test('preparations never count against the instance, nor does a call while its cause is being searched', async (t) => {
  const { health, status, pass } = await bench();
  await pass(1);
  for (const template of ['a', 'b', 'c', 'd']) health.ended(...breach('prepare', 'PLUGIN_ERROR', template));
  const [east, verb, end] = breach('observe', 'PLUGIN_ERROR', 'a', 'b', 'c');
  health.ended(east, verb, { ...end, unsure: true });
  t.is(status(), 'healthy');
});

test('a timed-out call for a request counts as silence, which a check ends', async (t) => {
  const { health, status, pass, cloud } = await bench();
  await pass(1);
  const asked = cloud.asked;
  for (let i = 0; i < 12; i++) {
    health.ended(...breach('prepare', 'TIMEOUT', `t${i}`));
    await pass(10);
    t.is(status(), 'healthy');
  }
  t.true(cloud.asked > asked);
  cloud.answers = new ProviderFault('unavailable', 'It is away.');
  health.ended(...breach('prepare', 'TIMEOUT', 'a'));
  await pass(40);
  t.is(status(), 'unhealthy');
});

test('refused credentials for one template cause a check, and no harm when the check succeeds', async (t) => {
  const { health, status, pass, cloud } = await bench();
  await pass(1);
  const asked = cloud.asked;
  const refused = (template: string) =>
    health.ended('east', 'launch', {
      ms: 0,
      kind: 'credentials',
      fault: new ProviderFault('credentials', 'Not you.'),
      of: of(template),
    });
  refused('a');
  await pass(6);
  t.deepEqual([status(), cloud.asked], ['healthy', asked + 1]);
  cloud.answers = new ProviderFault('credentials', 'Not you.');
  refused('a');
  await pass(6);
  t.is(status(), 'unhealthy');
  cloud.answers = undefined;
  await pass(60);
  t.is(status(), 'healthy');
  for (const template of ['a', 'b', 'c']) refused(template);
  t.is(status(), 'unhealthy');
});
