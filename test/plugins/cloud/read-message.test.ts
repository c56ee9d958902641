import test from 'ava';
import { cloudClock } from '../../../plugins/cloud/connection/cloud-clock.ts';
import { readMessage } from '../../../plugins/cloud/notices/read-message.ts';
import { systemClock } from '../../../core/index.ts';

const time = '2026-01-01T10:00:00Z';
const id = 'i-0123456789abcdef0';
const clock = cloudClock(systemClock);
const read = (type: string, detail: object) =>
  readMessage({ Body: JSON.stringify({ 'detail-type': type, time, detail }), ReceiptHandle: 'r' }, clock);

const health = (more: object) => ({
  service: 'EC2',
  eventTypeCategory: 'scheduledChange',
  eventTypeCode: 'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED',
  statusCode: 'upcoming',
  startTime: 'Fri, 02 Jan 2026 10:00:00 GMT',
  affectedEntities: [{ entityValue: id }, { entityValue: 'vol-1' }],
  ...more,
});

test('a warning gives two minutes, also when the machine is only stopped', (t) => {
  const { notices, malformed } = read('EC2 Spot Instance Interruption Warning', {
    'instance-id': id,
    'instance-action': 'stop',
  });
  t.is(malformed, undefined);
  t.like(notices[0], { machine_id: id, kind: 'reclaim', reclaim_at: '2026-01-01T10:02:00.000Z' });
  t.regex(notices[0]?.message ?? '', /\(stop\)/);
  const long = read('EC2 Spot Instance Interruption Warning', {
    'instance-id': id,
    'instance-action': 'x'.repeat(9_999),
  });
  t.true((long.notices[0]?.message ?? '').length < 200);
});

test('a scheduled end of machines concerns each machine that it names, and a closed one is withdrawn', (t) => {
  const [notice, ...others] = read('AWS Health Event', health({})).notices;
  t.deepEqual(others, []);
  t.like(notice, { machine_id: id, kind: 'scheduled', reclaim_at: '2026-01-02T10:00:00.000Z' });
  t.like(read('AWS Health Event', health({ statusCode: 'closed' })).notices[0], { reclaim_at: null });
  for (const other of [
    { service: 'RDS' },
    { eventTypeCategory: 'issue' },
    { eventTypeCode: 'AWS_EC2_SYSTEM_REBOOT_MAINTENANCE_SCHEDULED' },
    { startTime: 'soon' },
    { affectedEntities: null },
    { affectedEntities: [null, {}, { entityValue: 7 }] },
  ])
    t.deepEqual(read('AWS Health Event', health(other)), { receipt: 'r', notices: [] });
});

test('the messages of one scheduled change have its ARN, and a long one is cut', (t) => {
  const idOf = (eventArn: unknown) => {
    const [notice] = read('AWS Health Event', health({ eventArn })).notices;
    return notice?.kind === 'scheduled' ? notice.event_id : 'none';
  };
  t.is(idOf('arn:aws:health:us-east-1::event/EC2/1'), 'arn:aws:health:us-east-1::event/EC2/1');
  t.is(idOf('x'.repeat(10_000))?.length, 500);
  for (const none of [undefined, '', 7, null]) t.is(idOf(none), undefined);
});

test('a machine that a scheduled change names twice is reported once, and too many machines are malformed', (t) => {
  const twice = health({ affectedEntities: [{ entityValue: id }, { entityValue: id }] });
  t.is(read('AWS Health Event', twice).notices.length, 1);
  const many = (count: number) =>
    health({
      affectedEntities: Array.from({ length: count }, (_, index) => ({
        entityValue: `i-${index.toString(16).padStart(17, '0')}`,
      })),
    });
  t.is(read('AWS Health Event', many(10_000)).notices.length, 10_000);
  const { notices, malformed } = read('AWS Health Event', many(10_001));
  t.deepEqual(notices, []);
  t.regex(malformed ?? '', /^It names 10001 machines, more than 10000\.$/);
});

test('a text that is no event of EventBridge is malformed, and its excerpt in the log has no control characters', (t) => {
  const bodies = [
    undefined,
    '',
    'x',
    '7',
    'null',
    '[]',
    '{}',
    JSON.stringify({ 'detail-type': 'EC2 Spot Instance Interruption Warning', time: 'x', detail: {} }),
    JSON.stringify({ 'detail-type': 'EC2 Spot Instance Interruption Warning', time, detail: null }),
    JSON.stringify({ 'detail-type': 'EC2 Spot Instance Interruption Warning', time, detail: { 'instance-id': 7 } }),
    JSON.stringify({
      'detail-type': 'EC2 Instance State-change Notification',
      time,
      detail: { 'instance-id': id, state: 'dancing\n\u001b[31m' },
    }),
    JSON.stringify({
      'detail-type': 'EC2 Instance State-change Notification',
      time,
      detail: { 'instance-id': id, state: 'constructor' },
    }),
    JSON.stringify({
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      time: '+275760-09-13T00:00:00Z',
      detail: { 'instance-id': id },
    }),
  ];
  for (const Body of bodies) {
    const { notices, malformed } = readMessage({ Body, ReceiptHandle: 'r' }, clock);
    t.deepEqual(notices, [], Body);
    t.regex(malformed ?? '', /^It[\x20-\x7e]+$/, Body);
  }
});
