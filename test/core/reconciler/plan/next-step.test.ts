import test from 'ava';
import { nextStep, type PlanContext } from '../../../../core/reconciler/plan/next-step.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { attemptOf, stateOf, machineOf, requestOf } from '../../../support/records.ts';

const at = (fields: Partial<PlanContext> = {}): PlanContext => ({
  now: 1_000,
  monotonic: 1_000,
  settings: defaultSettings,
  agenda: {
    observed_at: new Map(),
    release_at: new Map(),
    dispose_at: new Map(),
    unanswered_since: new Map(),
    repeated: new Set(),
    announcedEnds: { due: () => undefined },
    refresh_now: false,
  },
  fallbackOrder: () => ({ options: [], out: [] }),
  sendsNotices: () => false,
  takesOrders: () => true,
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
    return { options: [], out: [] };
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
