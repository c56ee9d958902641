// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { launchActions } from '../actions/action-names.ts';
import type { KnobChange } from './knobs.ts';

/** A ready-made state of the cloud, for rehearsals. */
export interface Scenario {
  /** What happens in it. */
  readonly sentence: string;
  readonly knobs: Omit<KnobChange, 'scenario' | 'seed'>;
}

/** By name, from the mildest to all at once. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  calm: {
    sentence: 'Everything works; machines run two seconds after their launch.',
    knobs: {},
  },
  throttled: {
    sentence:
      "Request and machine buckets have AWS's default sizes, and in addition about every fifth call is throttled.",
    knobs: {
      throttle: { default_buckets: true },
      faults: [{ action: '*', share: 0.2, effect: 'skip', then: 'error', code: 'RequestLimitExceeded' }],
    },
  },
  'capacity-shortage': {
    sentence: 'Spot is sold out, and every On-Demand pool (type and zone) has room for three machines.',
    knobs: {
      capacity: [
        { market: 'on-demand', count: 3 },
        { market: 'spot', count: 0 },
      ],
    },
  },
  'partial-fleet': {
    sentence: 'No call delivers more than two machines; the rest finds no capacity.',
    knobs: { partial: launchActions.map((action) => ({ action, deliver: 2 })) },
  },
  'eventual-consistency': {
    sentence:
      'New resources stay invisible for seconds, longer by tag than by id, and are missing from some answers during their first minute.',
    knobs: {
      visible_ms: { id: 2000, filter: 4000, tag: 8000, template: 2000, version: 3000, fleet: 2000 },
      flapping: { share: 0.2, until_ms: 60_000 },
      fleets: { stale_ms: 15_000, notice_ms: 15_000 },
    },
  },
  'lost-answers': {
    sentence:
      'About a quarter of all calls takes effect, but the caller gets no usable answer: connections break, answers are cut or unreadable, gateways time out.',
    knobs: {
      faults: [
        { action: '*', share: 0.1, effect: 'execute', then: 'drop' },
        { action: '*', share: 0.05, effect: 'execute', then: 'cut' },
        { action: '*', share: 0.04, effect: 'execute', then: 'error', code: 'InternalError' },
        { action: '*', share: 0.04, effect: 'execute', then: 'html', status: 502 },
        { action: '*', share: 0.03, effect: 'execute', then: 'bad-xml' },
      ],
    },
  },
  'spot-reclaim': {
    sentence: 'Half of all Spot machines get an interruption notice of two minutes within a minute after they run.',
    knobs: { reclaim: [{ share: 0.5, notice_s: 120, after_ms: { min: 5000, max: 60_000 } }] },
  },
  'slow-boot': {
    sentence: 'Machines take two to five minutes to run, and the first machine stays pending.',
    knobs: { boot_ms: { min: 120_000, max: 300_000 }, stuck: [{ times: 1 }] },
  },
  'az-outage': {
    sentence:
      'The first zone of every region is out of service: launches there fail, and so do describing calls that concern its machines.',
    knobs: { outages: [{ zone: '*a' }] },
  },
  'expired-credentials': {
    sentence: 'All credentials are expired for one minute, from the twentieth second on.',
    knobs: { auth: { expired: [{ from_ms: 20_000, until_ms: 80_000 }] } },
  },
  chaos: {
    sentence: 'All faults together, at random; the same seed and the same calls give the same faults.',
    knobs: {
      boot_ms: { min: 500, max: 20_000 },
      shutdown_ms: { min: 200, max: 5000 },
      latency_ms: { '*': { min: 1, max: 80 } },
      throttle: { default_buckets: true },
      capacity: [
        { market: 'on-demand', count: 40 },
        { market: 'spot', count: 10 },
        { zone: '*b', count: 1 },
      ],
      visible_ms: { id: 1000, filter: 2000, tag: 4000, template: 500, version: 1000, fleet: 500 },
      flapping: { share: 0.1, until_ms: 30_000 },
      fleets: { stale_ms: 3000 },
      late_failures: [{ times: 3, code: 'Server.InternalError' }],
      reclaim: [{ share: 0.3, notice_s: 20, after_ms: { min: 1000, max: 60_000 } }],
      outages: [{ zone: '*c', from_ms: 30_000, until_ms: 60_000 }],
      auth: { expired: [{ from_ms: 90_000, until_ms: 100_000 }] },
      faults: [
        { action: '*', share: 0.05, effect: 'skip', then: 'error', code: 'RequestLimitExceeded' },
        { action: '*', share: 0.03, effect: 'skip', then: 'drop' },
        { action: '*', share: 0.02, effect: 'skip', then: 'error', code: 'Unavailable' },
        { action: '*', share: 0.04, effect: 'execute', then: 'drop' },
        { action: '*', share: 0.03, effect: 'execute', then: 'cut' },
        { action: '*', share: 0.02, effect: 'execute', then: 'error', code: 'InternalError' },
        { action: '*', share: 0.02, effect: 'execute', then: 'html', status: 502 },
        { action: '*', share: 0.02, effect: 'execute', then: 'bad-xml' },
        { action: '*', share: 0.02, effect: 'execute', then: 'slow-headers', delay_ms: 2000 },
      ],
      partial: launchActions.map((action) => ({ action, deliver: 5 })),
    },
  },
};
