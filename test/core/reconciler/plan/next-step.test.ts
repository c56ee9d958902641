import test from 'ava';
import { nextStep } from '../../../../core/reconciler/plan/next-step.ts';
import type { PlanContext } from '../../../../core/reconciler/plan/plan-context.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { attemptOf, stateOf, machineOf, requestOf } from '../../../support/records.ts';

const at = (fields: Partial<PlanContext> = {}): PlanContext => ({
  now: 1_000,
  monotonic: 1_000,
  settings: defaultSettings,
  agenda: {
    observed_at: new Map(),
    asked_at: new Map(),
    release_at: new Map(),
    dispose_at: new Map(),
    unanswered_since: new Map(),
    repeated: new Set(),
    announcedEnds: { due: () => undefined, putsOffMs: () => 0 },
    refresh_asked_at: undefined,
  },
  inFlight: {
    opens: false,
    has: () => false,
    changes: () => false,
    letsConclude: true,
    allowsConclusion: true,
    incomingTold: () => undefined,
  },
  fallbackOrder: () => ({ options: [], elsewhere: [], out: [] }),
  absentInstances: () => [],
  wereTogetherLately: () => true,
  mayBeElsewhere: () => false,
  replacementsWaitMs: 0,
  offersOfMachines: () => new Set(),
  sendsNotices: () => false,
  whereIs: () => 'here',
  areElsewhere: () => true,
  takesOrders: () => true,
  isUnhealthy: () => false,
  quarantined: () => undefined,
  outOfReach: () => undefined,
  movingIntervalMs: () => defaultSettings.observe_moving_ms,
  restingOffsetMs: () => 0,
  capabilities: () => ({
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 100,
    supported_fleet_types: [],
    machines_per_launch: 100,
    offers_per_launch: 'many',
    visible_within_ms: 1_000,
    late_release_ms: 0,
    token_valid_ms: 1_000_000,
    disposes: true,
    finds: true,
  }),
  ...fields,
});
const steps = (from: ReturnType<typeof stateOf>) => nextStep(from, at()).steps.map((step) => step.do);

test('a release that is to be repeated is not struck off before there is a session', (t) => {
  const request = requestOf({ status: 'completed', repeat_release_at: 500 });
  const going = machineOf('m-1', { going: 'failed', released_at: 1 });
  const state = stateOf({ request, attempts: [attemptOf(1)], machines: [going, machineOf('m-2')] });
  t.deepEqual(
    nextStep(state, at({ capabilities: () => undefined })).steps.map((step) => step.do),
    [],
  );
  t.true(steps(state).includes('release'));
});

test('a stuck fleet is stopped before another attempt is made', (t) => {
  const stuck = attemptOf(1, { settled: false, stuck: true });
  const fallbackOrder = () => {
    throw new Error('No other attempt may be planned yet.');
  };
  const { steps: now } = nextStep(stateOf({ attempts: [stuck], machines: [machineOf('m-1')] }), at({ fallbackOrder }));
  t.deepEqual(
    now.map((step) => step.do),
    ['release', 'observe'],
  );
});

test('after the stop the missing machines are ordered elsewhere', (t) => {
  const attempts = [attemptOf(1, { settled: false, stuck: true, incoming: 0 })];
  const asked: string[] = [];
  const fallbackOrder = () => {
    asked.push('order');
    return { options: [], elsewhere: [], out: [] };
  };
  nextStep(stateOf({ attempts, machines: [machineOf('m-1')] }), at({ fallbackOrder }));
  t.deepEqual(asked, ['order']);
});

test('a recovered attempt is observed until it was reported, also after its stop and the end of the request', (t) => {
  const ended = requestOf({ status: 'failed' });
  const found = attemptOf(1, { state: 'lost', settled: false, incoming: 0 });
  t.true(steps(stateOf({ request: ended, attempts: [found] })).includes('observe'));
  t.false(steps(stateOf({ request: ended, attempts: [{ ...found, settled: true }] })).includes('observe'));
});

test('old attempts of a persistent request without a machine are disposed of, then removed; what may matter stays', (t) => {
  const template = { template_id: 'small', retry_until_timeout: true };
  const now = 10_000_000;
  const request = requestOf({ template, created_at: now - 1_000_000, deadline_at: 1e12 });
  const denied = { kind: 'invalid' as const, code: 'no', message: 'No.', lack: 'denied' as const };
  const ended = { settled: true, shortfall: [{ kind: 'capacity' as const, code: 'c', message: 'm' }] };
  const old = Array.from({ length: 12 }, (_, i) => attemptOf(i + 1, { ...ended, created_at: now - 950_000 }));
  const kept = [
    attemptOf(20, { ...ended, created_at: now - 950_000 }),
    attemptOf(21, { ...ended, created_at: now - 950_000, state: 'lost' }),
    attemptOf(22, { ...ended, created_at: now - 950_000, settled: false, incoming: 1 }),
    attemptOf(23, { ...ended, created_at: now - 950_000, state: 'closed', shortfall: [denied] }),
    attemptOf(24, { ...ended, created_at: now - 800_000 }),
    attemptOf(30, { ...ended, created_at: now - 950_000 }),
  ];
  const machines = [machineOf('m-1', { attempt: 20, gone_at: now - 900_000, status: 'terminated' })];
  const stepsOf = (attempts: typeof old, more: Partial<Parameters<typeof requestOf>[0]> = {}) =>
    nextStep(stateOf({ request: { ...request, ...more }, attempts: [...attempts, ...kept], machines }), at({ now }))
      .steps;
  const numbers = old.map(({ attempt }) => attempt);

  const first = stepsOf(old);
  t.deepEqual(
    first.flatMap((step) => (step.do === 'dispose' ? [step.attempt.attempt] : [])),
    numbers,
  );
  t.false(first.some((step) => step.do === 'forget'));
  const second = stepsOf(old.map((each) => ({ ...each, disposed: true })));
  t.deepEqual(
    second.flatMap((step) => (step.do === 'forget' ? [...step.attempts] : [])),
    numbers,
  );
  const impatient = { ...template, retry_until_timeout: false };
  t.false(stepsOf(old, { template: impatient }).some((step) => step.do === 'forget' || step.do === 'dispose'));
});

test('a request whose instance only an absent broker has waits for one, and fails by its time-out alone', (t) => {
  const request = requestOf({ status: 'pending', selected_instance: 'east', deadline_at: 10_000 });
  const lately = { whereIs: () => 'lately' as const };
  const waiting = nextStep(stateOf({ request }), at(lately));
  t.deepEqual(
    [waiting.steps, waiting.message],
    [[], "No live broker has the provider instance 'east'; the request waits for one."],
  );
  t.deepEqual(nextStep(stateOf({ request }), at({ ...lately, now: 10_000 })).steps, [{ do: 'end' }]);
});

test('a request that another live broker can perhaps serve waits until that broker has connected to its clouds', (t) => {
  const request = requestOf({ status: 'in_progress', selected_instance: 'east', deadline_at: 10_000 });
  const short = { kind: 'capacity' as const, code: 'c', message: 'None.' };
  const attempts = [attemptOf(1, { state: 'closed', settled: true, shortfall: [short] })];
  const west = { provider_instance: 'west', provider_type: 'cloud' };
  const next = (fields: Partial<PlanContext>) =>
    nextStep(
      stateOf({ request, attempts }),
      at({ areElsewhere: () => false, fallbackOrder: () => ({ options: [], elsewhere: [west], out: [] }), ...fields }),
    );
  const waiting = next({ mayBeElsewhere: (all) => all.some(({ name }) => name === 'west') });
  t.deepEqual(
    [waiting.steps, waiting.message],
    [[], "The broker with 'west' cannot take the request over yet; the request waits for it."],
  );
  t.true((waiting.again_ms ?? Infinity) <= 10_000);
  t.deepEqual(next({ areElsewhere: () => true }).steps, [{ do: 'hand-over', to: west }]);
  t.deepEqual(
    next({}).steps.map((step) => step.do),
    ['end'],
  );
});

test('a request whose instance no broker has any more fails at once, unless something was ordered', (t) => {
  const request = requestOf({ status: 'pending', selected_instance: 'east', deadline_at: 10_000 });
  const out = [{ name: 'east', code: 'PROVIDER_NOT_FOUND', reason: 'it is not in the configuration' } as const];
  const nowhere = {
    whereIs: () => 'nowhere' as const,
    fallbackOrder: () => ({ options: [], elsewhere: [], out }),
    outOfReach: () => "'east' is not configured",
    capabilities: () => undefined,
  };
  const message = "No configured provider instance can serve the request now: 'east': it is not in the configuration.";
  t.deepEqual(nextStep(stateOf({ request }), at(nowhere)).steps, [
    { do: 'end', skipped: [{ kind: 'invalid', code: 'NO_PROVIDER', message }] },
  ]);
  const sent = attemptOf(1, { state: 'open', unsent: false, settled: false });
  const waiting = nextStep(stateOf({ request, attempts: [sent] }), at(nowhere));
  t.deepEqual(waiting.steps, []);
  t.regex(waiting.message ?? '', /'east' is not configured: the orders there are continued/);
});

test('a request that only another live broker can serve is handed over before its first order, once to each instance', (t) => {
  const west = { provider_instance: 'west', provider_type: 'cloud' };
  const next = (whereIs: 'elsewhere' | 'lately' | 'here', request: object = {}) =>
    nextStep(
      stateOf({ request: requestOf({ status: 'pending', selected_instance: 'east', ...request }) }),
      at({ whereIs: () => whereIs, fallbackOrder: () => ({ options: [], elsewhere: [west], out: [] }) }),
    );
  for (const place of ['here', 'lately'] as const) t.deepEqual(next(place).steps, [{ do: 'hand-over', to: west }]);
  const elsewhere = next('elsewhere');
  t.deepEqual(
    [elsewhere.steps, elsewhere.message],
    [[], "Another broker has the provider instance 'east' and continues the request."],
  );
  t.deepEqual(next('here', { handed_over: ['west'] }).steps, [{ do: 'end' }]);
});

test('attempts whose orders go elsewhere ask once for all, and leave together', (t) => {
  const option = (provider_instance: string, unhealthy: boolean) => ({
    provider_instance,
    provider_type: 'cloud',
    api: 'Fake',
    capabilities: { machines_per_launch: 1, offers_per_launch: 'many' } as never,
    template: {} as never,
    offers: undefined,
    shortfalls: new Map(),
    ...(unhealthy ? { unhealthy } : {}),
  });
  let asked = 0;
  const attempts = Array.from({ length: 100 }, (_, n) =>
    attemptOf(n + 1, { state: 'open', unsent: true, settled: false }),
  );
  const decision = nextStep(
    stateOf({ request: requestOf({ machine_count: 300 }), attempts, machines: [] }),
    at({
      isUnhealthy: (name) => name === 'east',
      fallbackOrder() {
        asked += 1;
        return { options: [option('west', false), option('east', true)], elsewhere: [], out: [] };
      },
    }),
  );
  t.deepEqual(
    decision.steps.map((step) => step.do),
    attempts.map(() => 'leave'),
  );
  t.is(asked, 1);
});

test('an order without a known answer counts although its instance has no session', (t) => {
  const filling = attemptOf(1, { settled: false, provider_instance: 'west' }, 5);
  const { handle: _, ...unanswered } = attemptOf(2, { state: 'open', settled: false }, 5);
  const machines = ['m-1', 'm-2', 'm-3'].map((id) => machineOf(id, { provider_instance: 'west', going: 'returned' }));
  const state = stateOf({ request: requestOf({ machine_count: 10 }), attempts: [filling, unanswered], machines });
  const { capabilities } = at();
  const decision = nextStep(
    state,
    at({ capabilities: (each) => (each.provider_instance === 'west' ? capabilities(each) : undefined) }),
  );
  t.deepEqual(
    decision.steps.flatMap((step) => (step.do === 'release' ? step.pending.target.incoming : [])),
    [2],
  );
});
