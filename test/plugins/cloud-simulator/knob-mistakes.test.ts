// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import test from 'ava';
import { defaultKnobs } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { turnKnobs } from '../../../plugins/cloud-simulator/knobs/turn-knobs.ts';
import { scenarios } from '../../../plugins/cloud-simulator/knobs/scenarios.ts';

const fault = { action: '*', effect: 'execute', then: 'drop' };

const mistakes: readonly [change: unknown, ...findings: RegExp[]][] = [
  [null, /^\/: expected an object$/],
  [{ faults: {} }, /^\/faults: expected a list$/],
  [
    { faults: [{}] },
    /\/faults\/0\/action: is missing/,
    /\/faults\/0\/effect: is missing/,
    /\/faults\/0\/then: is missing/,
  ],
  [
    { faults: [{ ...fault, action: 'RunInstance' }] },
    /\/faults\/0\/action: expected an action or \*; known: .*RunInstances/,
  ],
  [{ faults: [{ ...fault, nth: 0, times: 0 }] }, /\/nth: expected a whole number/, /\/times: expected a whole number/],
  [{ faults: [{ ...fault, share: 1.5 }] }, /\/share: expected a share/],
  [{ faults: [{ ...fault, then: 'slow-headers' }] }, /\/faults\/0\/delay_ms: is missing/],
  [
    { faults: [{ ...fault, effect: 'skip', then: 'slow-body', delay_ms: 1 }] },
    /\/faults\/0\/then: slow-body sends the right answer/,
  ],
  [
    { faults: [{ ...fault, code: 'X', status: 500 }] },
    /\/code: goes with error only/,
    /\/status: goes with error and html only/,
  ],
  [{ faults: [{ ...fault, then: 'error', status: 200 }] }, /\/status: expected 400 or more/],
  [{ faults: [{ ...fault, then: 'html', status: 1000 }] }, /\/status: expected a whole number, 200 to 599/],
  [{ faults: [fault, { ...fault, from_ms: 5, until_ms: 5 }] }, /\/faults\/1\/until_ms: the rule is never in force/],
  [{ faults: [{ ...fault, account: 7, region: '' }] }, /\/account: expected text/, /\/region: expected text/],
  [{ latency_ms: { RunInstance: 5 } }, /\/latency_ms\/RunInstance: expected an action/],
  [{ latency_ms: { '*': { min: 5, max: 1 } } }, /\/latency_ms\/\*: min is above max/],
  [{ latency_ms: { '*': -1 } }, /\/latency_ms\/\*: expected milliseconds/],
  [{ throttle: { next: [{ action: 'Run', times: 1 }] } }, /\/throttle\/next\/0\/action: expected an action/],
  [{ throttle: { buckets: { Run: {} } } }, /\/throttle\/buckets\/Run: no bucket; known: autoscaling, sts, /],
  [
    { throttle: { buckets: { CreateAutoScalingGroup: {} } } },
    /CreateAutoScalingGroup: shares the bucket of its service/,
  ],
  [
    { throttle: { buckets: { RunInstances: { requests: { capacity: 0 } } } } },
    /\/requests\/per_second: is missing/,
    /\/capacity: expected/,
  ],
  [{ partial: [{ action: 'Run', deliver: 1 }] }, /\/partial\/0\/action: expected an action/],
  [{ auth: { known_keys: 'A' } }, /\/auth\/known_keys: expected a list, or null/],
  [{ auth: { roles: [{ external_id: 'x' }] } }, /\/auth\/roles\/0\/arn: is missing/],
  [{ auth: { denied: [{ action: 'Nothing' }] } }, /\/auth\/denied\/0\/action: expected an action/],
  [
    { auth: { expired: [{ until: 5 }] } },
    /\/auth\/expired\/0\/until: unknown; known: account, region, from_ms, until_ms/,
  ],
  [{ auth: { clock_skew_ms: 1e300 } }, /\/auth\/clock_skew_ms: expected milliseconds, ten years at most/],
  [{ limits: { page_size: 0, page_token_ms: -1, filters: 0 } }, /\/page_size/, /\/page_token_ms/, /\/filters/],
  [
    { boot_ms: 1e17, health: [{ event: 'instance-stop', event_in_ms: 1e17 }] },
    /^\/boot_ms: expected milliseconds/,
    /\/event_in_ms: expected/,
  ],
  [{ reclaim: [{ notice_s: -1 }] }, /\/reclaim\/0\/notice_s: expected seconds/],
  [{ health: [{ event_in_ms: 5 }] }, /\/health\/0\/event_in_ms: goes with event only/],
  [
    {
      capacity: [{ count: 1, instance_type: 'm5.lage', zone: 'us-east-1' }],
      stuck: [{ instance_type: 'q*', zone: 'us-east-1z' }],
    },
    /\/capacity\/0\/instance_type: fits no instance type/,
    /\/capacity\/0\/zone: expected a zone such as/,
    /\/stuck\/0\/instance_type: fits no instance type/,
    /\/stuck\/0\/zone: no zone; known: us-east-1a, /,
  ],
  [{ outages: [{ zone: 'use1-az1' }] }, /\/outages\/0\/zone: expected a zone such as/],
  [
    { partial: [{ action: 'DescribeInstances', deliver: 1 }] },
    /\/partial\/0\/action: expected an action that launches/,
  ],
  [
    { throttle: { buckets: { DescribeInstances: { resources: { capacity: 1, per_second: 1 } } } } },
    /DescribeInstances\/resources: has no machines; known: RunInstances, StartInstances, StopInstances, TerminateInstances/,
  ],
  [{ faults: [{ ...fault, then: 'html', status: 204 }] }, /\/faults\/0\/status: an answer with 204 has no page/],
  [
    { tokens: { in_progress_ms: '5' }, boot: 1 },
    /\/tokens\/in_progress_ms: expected milliseconds/,
    /\/boot: unknown; known: /,
  ],
];
for (const [change, ...findings] of mistakes) {
  test(`what is wrong with ${JSON.stringify(change)} is said, all at once`, (t) => {
    const error = t.throws(() => turnKnobs(defaultKnobs, change), { instanceOf: TypeError });
    for (const finding of findings) t.regex(error?.message ?? '', new RegExp(finding, 'm'));
    t.is(error?.message.split('\n').length, findings.length, error?.message);
  });
}

const needed = {
  capacity: { count: 1 },
  prices: { price: 1 },
  partial: { action: '*', deliver: 1 },
  late_failures: {},
  stuck: {},
  reclaim: {},
  health: {},
  outages: { zone: '*a' },
};
for (const [knob, fields] of Object.entries(needed)) {
  test(`a rule of ${knob} that is never in force is a mistake`, (t) => {
    const change = { [knob]: [{ ...fields, from_ms: 5, until_ms: 5 }] };
    t.throws(() => turnKnobs(defaultKnobs, change), {
      message: new RegExp(`^/${knob}/0/until_ms: the rule is never in force.*$`),
    });
  });
}

test('a zone may be of a region that the catalogue does not know', (t) => {
  t.notThrows(() =>
    turnKnobs(defaultKnobs, {
      outages: [{ zone: 'mars-north-7a' }, { zone: '*' }],
      stuck: [{ instance_type: 'm5.*' }],
    }),
  );
});

for (const name of Object.keys(scenarios)) {
  test(`the scenario ${name} can be turned on`, (t) => {
    t.is(turnKnobs(defaultKnobs, { scenario: name }).scenario, name);
    // Laid over another state it has to stand alone.
    t.notThrows(() => turnKnobs(defaultKnobs, scenarios[name]?.knobs));
  });
}
