// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import test from 'ava';
import { defaultKnobs, turnKnobs } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { scenarios } from '../../../plugins/cloud-simulator/knobs/scenarios.ts';

const fault = { action: '*', effect: 'execute', then: 'drop' };

const mistakes: readonly [change: unknown, ...findings: RegExp[]][] = [
  [null, /^\/: expected an object$/],
  [{ faults: {} }, /^\/faults: expected a list$/],
  [{ faults: [{}] }, /\/faults\/0\/action: is missing/, /\/faults\/0\/effect: is missing/, /\/faults\/0\/then: is missing/],
  [{ faults: [{ ...fault, action: 'RunInstance' }] }, /\/faults\/0\/action: expected an action or \*; known are .*RunInstances/],
  [{ faults: [{ ...fault, nth: 0, times: 0 }] }, /\/nth: expected a whole number/, /\/times: expected a whole number/],
  [{ faults: [{ ...fault, share: 1.5 }] }, /\/share: expected a share/],
  [{ faults: [{ ...fault, then: 'slow-headers' }] }, /\/faults\/0\/delay_ms: is missing/],
  [{ faults: [{ ...fault, effect: 'skip', then: 'slow-body', delay_ms: 1 }] }, /\/faults\/0\/then: slow-body is a right answer/],
  [{ faults: [{ ...fault, code: 'X', status: 500 }] }, /\/code: goes with error only/, /\/status: goes with error and html only/],
  [{ faults: [{ ...fault, then: 'error', status: 200 }] }, /\/status: expected 400 or more/],
  [{ faults: [{ ...fault, then: 'html', status: 1000 }] }, /\/status: expected a whole number, 200 to 599/],
  [{ faults: [fault, { ...fault, from_ms: 5, until_ms: 5 }] }, /\/faults\/1\/until_ms: the rule is never in force/],
  [{ faults: [{ ...fault, account: 7, region: '' }] }, /\/account: expected text/, /\/region: expected text/],
  [{ latency_ms: { RunInstance: 5 } }, /\/latency_ms\/RunInstance: expected an action/],
  [{ latency_ms: { '*': { min: 5, max: 1 } } }, /\/latency_ms\/\*: min is above max/],
  [{ latency_ms: { '*': -1 } }, /\/latency_ms\/\*: expected milliseconds/],
  [{ throttle: { next: [{ action: 'Run', times: 1 }] } }, /\/throttle\/next\/0\/action: expected an action/],
  [{ throttle: { buckets: { Run: {} } } }, /\/throttle\/buckets\/Run: no bucket; known are autoscaling, sts, /],
  [{ throttle: { buckets: { CreateAutoScalingGroup: {} } } }, /CreateAutoScalingGroup: shares the bucket of its service/],
  [
    { throttle: { buckets: { RunInstances: { requests: { capacity: 0 } } } } },
    /\/requests\/per_second: is missing/,
    /\/capacity: expected/,
  ],
  [{ partial: [{ action: 'Run', deliver: 1 }] }, /\/partial\/0\/action: expected an action/],
  [{ auth: { known_keys: 'A' } }, /\/auth\/known_keys: expected a list, or null/],
  [{ auth: { denied: [{ action: 'Nothing' }] } }, /\/auth\/denied\/0\/action: expected an action/],
  [{ auth: { expired: [{ until: 5 }] } }, /\/auth\/expired\/0\/until: unknown; known are account, region, from_ms, until_ms/],
  [{ auth: { clock_skew_ms: 1e300 } }, /\/auth\/clock_skew_ms: expected milliseconds, ten years at most/],
  [{ limits: { page_size: 0, page_token_ms: -1, filters: 0 } }, /\/page_size/, /\/page_token_ms/, /\/filters/],
  [{ tokens: { in_progress_ms: '5' }, boot: 1 }, /\/tokens\/in_progress_ms: expected milliseconds/, /\/boot: unknown; known are /],
];
for (const [change, ...findings] of mistakes) {
  test(`what is wrong with ${JSON.stringify(change)} is said, all at once`, (t) => {
    const error = t.throws(() => turnKnobs(defaultKnobs, change), { instanceOf: TypeError });
    for (const finding of findings) t.regex(error?.message ?? '', new RegExp(finding, 'm'));
    t.is(error?.message.split('\n').length, findings.length, error?.message);
  });
}

for (const name of Object.keys(scenarios)) {
  test(`the scenario ${name} can be turned on`, (t) => {
    t.is(turnKnobs(defaultKnobs, { scenario: name }).scenario, name);
    // Laid over another state it has to stand alone.
    t.notThrows(() => turnKnobs(defaultKnobs, scenarios[name]?.knobs));
  });
}
