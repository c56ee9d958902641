import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import * as answers from '../../../core/providers/answer-checks/answers.ts';
import { defaultCapabilities } from '../../../core/contract/provider/capabilities.ts';
import { soundCapabilities } from '../../../core/providers/answer-checks/capabilities.ts';
import { ContractViolation } from '../../../core/providers/answer-checks/contract-violation.ts';
import { listing } from '../../../core/providers/answer-checks/listing.ts';
import { readProviderState } from '../../../core/providers/answer-checks/read-provider-state.ts';
import { thrownError } from '../../../core/providers/answer-checks/thrown-error.ts';
import { soundFault } from '../../../core/providers/answer-checks/sound-fault.ts';

const machine = { machine_id: 'm-1', status: 'running', ready: true };
const launch = (fields: object) => ({ handle: { token: 't' }, settled: true, ...fields });
const circle: Record<string, unknown> = {};
circle['self'] = circle;

const rate = { action: 'Start', counts: 'calls', per_second: 1, capacity: 5, free: -2, share: 0.5 };
const stateWith = (fields: object) => ({ rates: [{ ...rate, ...fields }], credentials: null });

const long = (length: number): string => 'x'.repeat(length);
const price = (usd_per_hour: number) => ({ usd_per_hour, source: 'own' });
const short = { kind: 'capacity', code: 'FULL', message: 'none left' };
const capable = { ...defaultCapabilities, machines_per_launch: 1, visible_within_ms: 0, token_valid_ms: 0 };

const wrong: readonly (readonly [check: (value: unknown) => void, value: unknown, place: RegExp])[] = [
  [answers.checkLaunch, undefined, /^the answer is undefined; the contract requires a launch/],
  [answers.checkLaunch, { settled: true }, /^\/handle is undefined; .* a JSON object/],
  [answers.checkLaunch, launch({ handle: 'h' }), /^\/handle is 'h'/],
  [answers.checkLaunch, launch({ handle: { at: { run: () => 0 } } }), /^\/handle\/at\/run is a function; .* JSON/],
  [answers.checkLaunch, launch({ handle: circle }), /deeper than/],
  [answers.checkLaunch, launch({ handle: { when: new Date() } }), /^\/handle\/when is an object; .* not a Date/],
  [answers.checkLaunch, launch({ handle: [new Map()] }), /^\/handle\/0 .* not a Map/],
  [answers.checkLaunch, launch({ handle: { n: Number.NaN } }), /^\/handle\/n is NaN/],
  [answers.checkLaunch, launch({ settled: 'yes' }), /^\/settled is 'yes'; .* true or false/],
  [answers.checkLaunch, launch({ machines: {} }), /^\/machines is an object; .* a list of machine reports/],
  [answers.checkLaunch, launch({ machines: [machine, null] }), /^\/machines\/1 is null/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, machine_id: '' }] }), /^\/machines\/0\/machine_id is ''/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, machine_id: 7 }] }), /^\/machines\/0\/machine_id is 7/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, machine_id: long(257) }] }), /machine_id .* at most 256 /],
  [answers.checkLaunch, launch({ machines: [{ ...machine, zone: long(1_001) }] }), /zone .* at most 1000 characters/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, message: long(20_001) }] }), /message .* at most 20000 /],
  [answers.checkLaunch, launch({ machines: [{ ...machine, launched_at: 'banana 1' }] }), /launched_at .* ISO 8601/],
  [
    answers.checkLaunch,
    launch({ machines: [{ ...machine, launched_at: '2026-02-30T25:00Z' }] }),
    /launched_at .* ISO/,
  ],
  [answers.checkLaunch, launch({ machines: [{ ...machine, reclaim_at: '+275760-09-13T00:00:00Z' }] }), /reclaim_at /],
  [answers.checkLaunch, launch({ machines: [{ ...machine, price: price(1e300) }] }), /usd_per_hour .* 0 to 1000000$/],
  [
    answers.checkLaunch,
    launch({ shortfall: Array.from({ length: 10_001 }, () => ({})) }),
    /^\/shortfall is a list of 10001; .* 10000 /,
  ],
  [
    answers.checkLaunch,
    launch({ shortfall: [{ ...short, code: long(257) }] }),
    /^\/shortfall\/0\/code .* at most 256/,
  ],
  [soundCapabilities, { ...capable, supported_fleet_types: undefined }, /^supported_fleet_types is undefined/],
  [soundCapabilities, { ...capable, supported_fleet_types: [1n] }, /^supported_fleet_types\/0 is 1;/],
  [soundCapabilities, { ...capable, supports_spot: 'yes' }, /^supports_spot is 'yes'; .* true or false/],
  [soundCapabilities, { ...capable, max_instances: 0.5 }, /^max_instances is 0.5; .* a whole number of at least 1/],
  [soundCapabilities, { ...capable, late_release_ms: 1n }, /^late_release_ms is 1;/],
  [soundCapabilities, { ...capable, machines_per_launch: undefined }, /^machines_per_launch is undefined/],
  [
    answers.checkLaunch,
    launch({ machines: [machine, { ...machine }] }),
    /^\/machines\/1\/machine_id is 'm-1'; .* each machine once/,
  ],
  [
    answers.checkLaunch,
    launch({ machines: [{ ...machine, status: 'up' }] }),
    /^\/machines\/0\/status is 'up'; .* one of pending, running/,
  ],
  [answers.checkLaunch, launch({ machines: [{ ...machine, ready: 1 }] }), /^\/machines\/0\/ready is 1/],
  [
    answers.checkLaunch,
    launch({ machines: [{ ...machine, status: 'pending' }] }),
    /^\/machines\/0\/ready .* to be running/,
  ],
  [
    answers.checkLaunch,
    launch({ machines: [{ ...machine, launched_at: 'soon' }] }),
    /^\/machines\/0\/launched_at is 'soon'; .* ISO 8601/,
  ],
  [answers.checkLaunch, launch({ machines: [{ ...machine, reclaim_at: 5 }] }), /^\/machines\/0\/reclaim_at is 5/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, private_ip: 10 }] }), /^\/machines\/0\/private_ip is 10/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, market: 'cheap' }] }), /^\/machines\/0\/market is 'cheap'/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, data: 'zone' }] }), /^\/machines\/0\/data is 'zone'/],
  [answers.checkLaunch, launch({ machines: [{ ...machine, data: { when: 1n } }] }), /^\/machines\/0\/data\/when is 1/],
  [
    answers.checkLaunch,
    launch({ shortfall: [{ kind: 'sad', code: 'X', message: 'x' }] }),
    /^\/shortfall\/0\/kind is 'sad'/,
  ],
  [
    answers.checkLaunch,
    launch({ shortfall: [{ kind: 'capacity', code: 'X' }] }),
    /^\/shortfall\/0\/message is undefined/,
  ],
  [
    answers.checkLaunch,
    launch({ shortfall: [{ kind: 'capacity', code: 'X', message: 'x', count: 1.5 }] }),
    /^\/shortfall\/0\/count is 1.5/,
  ],
  [(value) => answers.checkObservations(value, 2), [{}], /^the answer is a list of 1; .* each of the 2/],
  [(value) => answers.checkObservations(value, 1), undefined, /^the answer is undefined/],
  [(value) => answers.checkObservation(value, '/3'), { machines: [] }, /^\/3\/settled is undefined/],
  [
    (value) => answers.checkObservation(value, '/3'),
    { machines: [], settled: true, handle: null },
    /^\/3\/handle is null/,
  ],
  [answers.checkProgress, undefined, /^the answer is undefined; .* progress/],
  [answers.checkProgress, {}, /^\/done is undefined/],
  [answers.checkProgress, { done: false, again_ms: -1 }, /^\/again_ms is -1/],
  [answers.checkFound, 'i-1', /^the answer is 'i-1'; .* a JSON object/],
  [answers.checkIdentity, undefined, /^the answer is undefined; .* a string/],
  [answers.checkPlaces, { regions: ['a', 1], availability_zones: [] }, /^\/regions\/1 is 1/],
  [answers.checkMachineType, { name: 'm', vcpus: Infinity }, /^\/vcpus is Infinity/],
  [answers.checkOwnedResource, { kind: 'machine', id: 'i', machine: {} }, /^\/machine\/machine_id is undefined/],
  [
    (value) => answers.checkLivingHosts(value, [{ machine_id: 'i-1' }]),
    [{ machine_id: 'i-2' }],
    /^\/0 is an object; .* a requested host/,
  ],
  [answers.checkOffers, [{ key: 'a' }, { key: 'a' }], /^\/1\/key is 'a'; .* each key once/],
  [
    answers.checkOffers,
    Array.from({ length: 50 }, (_, n) => ({ key: `${n}${'x'.repeat(100_000)}` })),
    /^\/39\/key is .* at most 4000000 characters/,
  ],
  [answers.checkPrepared, { text: 'x'.repeat(4_000_001) }, /^\/text is .* at most 4000000 characters/],
  [answers.checkPrepared, Array.from({ length: 100_001 }, () => 0), /at most 100000 parts/],
  [answers.checkOffers, [{ key: '' }], /^\/0\/key is ''/],
  [readProviderState, undefined, /^the answer is undefined; .* rates and credentials/],
  [readProviderState, { rates: {}, credentials: null }, /^\/rates is an object; .* a list of at most 1000/],
  [readProviderState, stateWith({ action: 'x'.repeat(101) }), /^\/rates\/0\/action is .* at most 100 characters/],
  [readProviderState, stateWith({ counts: 'bytes' }), /^\/rates\/0\/counts is 'bytes'; .* calls, machines/],
  [readProviderState, stateWith({ free: Infinity }), /^\/rates\/0\/free is Infinity/],
  [readProviderState, stateWith({ share: 2 }), /^\/rates\/0\/share is 2; .* at most 1/],
  [readProviderState, { rates: [] }, /^\/credentials is undefined; .* credentials or null/],
  [
    readProviderState,
    { rates: [], credentials: { source: 'role', expires_at: 'soon', renewed: true } },
    /^\/credentials\/expires_at is 'soon'; .* ISO 8601/,
  ],
  [
    readProviderState,
    { rates: [], credentials: { source: 'role', expires_at: null } },
    /^\/credentials\/renewed is undefined/,
  ],
  [answers.checkFindings, [{ level: 'note', path: '', message: 'x' }], /^\/0\/level is 'note'/],
];

test('an answer that violates the contract is refused with its path and the requirement', (t) => {
  for (const [index, [check, value, place]] of wrong.entries()) {
    const error = t.throws(() => check(value), { instanceOf: ContractViolation }, String(index));
    t.regex(error?.message ?? '', place, String(index));
  }
});

test('a valid answer passes', (t) => {
  const whole = {
    ...machine,
    name: 'h',
    launched_at: '2026-01-01T00:00:00Z',
    reclaim_at: null,
    market: 'spot',
    data: { zone: 'a', left: undefined },
  };
  t.notThrows(() =>
    answers.checkLaunch(launch({ machines: [whole, { machine_id: 'm-2', status: 'pending', ready: false }] })),
  );
  t.notThrows(() => answers.checkObservation(new ProviderFault('gone', 'no'), '/0'));
  t.notThrows(() => answers.checkFound(undefined));
  t.notThrows(() => answers.checkLivingHosts([{ machine_id: 'i-1' }], [{ machine_id: 'i-1' }]));
});

test('of what a session says of itself only the fields of the contract are passed on', (t) => {
  const credentials = { source: 'role', expires_at: '2026-01-01T00:00:00.000Z', renewed: true };
  const said = { rates: [{ ...rate, ask: () => 1 }], credentials: { ...credentials, key: 'k' }, session: circle };
  t.deepEqual(readProviderState(said), { rates: [rate], credentials } as never);
});

test('an endless list is cut off, and a value that is no list is an error', async (t) => {
  async function* endless(): AsyncGenerator<number> {
    for (;;) yield 1;
  }
  const pass = (): void => undefined;
  await t.throwsAsync(listing(endless(), 1_000, pass, pass), { message: /a list of more than 1000/ });
  await t.throwsAsync(listing(undefined, 1_000, pass, pass), { message: /requires an async iterable/ });
});

test('a fault with invalid fields keeps its valid fields, and its waits are bounded', (t) => {
  const odd = Object.assign(new ProviderFault('throttled', 'slow down'), { code: 7, retry_after_ms: 1e12 });
  t.like(soundFault(odd), { kind: 'throttled', message: 'slow down', code: 'throttled', retry_after_ms: 480_000 });
  t.is(soundFault(new ProviderFault('throttled', 'now', { retry_after_ms: 0 })).retry_after_ms, 100);
  const sound = new ProviderFault('capacity', 'none', { retry_after_ms: 1_000 });
  t.is(soundFault(sound), sound);
  const huge = { code: 'C'.repeat(1_000), offer: 'o'.repeat(1_000_000), offers: Array(200_000).fill('o') };
  const short = soundFault(new ProviderFault('capacity', 'm'.repeat(50_000_000), huge));
  t.is(short.code.length, 128);
  t.true(short.message.length < 4_100 && short.message.endsWith(' …'));
  t.is(short.offer, undefined);
  t.is(short.offers, undefined);
  t.true(thrownError(short.cause).message.length < 4_100);
});

test('ten thousand reports are checked within a few milliseconds', (t) => {
  const machines = Array.from({ length: 10_000 }, (_, index) => ({
    machine_id: `i-${index}`,
    status: 'running',
    ready: true,
    name: `ip-10-0-${index}`,
    private_ip: '10.0.0.1',
    launched_at: '2026-01-01T00:00:00.000Z',
    machine_type: 't3.small',
    market: 'spot',
    data: { zone: 'us-east-1a', weight: 1 },
  }));
  const times = Array.from({ length: 15 }, () => {
    const began = performance.now();
    answers.checkObservation({ machines, settled: true }, '/0');
    return performance.now() - began;
  });
  const best = Math.min(...times);
  t.log(`${best.toFixed(2)} ms at best, ${times.toSorted((a, b) => a - b)[7]?.toFixed(2)} ms in the median`);
  t.true(best < 50);
});
