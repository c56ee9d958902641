import test from 'ava';
import { answerTable } from '../../../host/cli/output/answer-table.ts';
import { eventLine } from '../../../host/cli/output/event-line.ts';
import { duration } from '../../../host/cli/output/timeline.ts';
import { width } from '../../../host/cli/output/width.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 15, 9, 30) + ms).toISOString();
const event = (ms: number, type: string, more: object = {}) => ({
  seq: ms,
  at: at(ms),
  type,
  request_id: 'req-1',
  actor: { interface: 'broker' as const },
  data: {},
  ...more,
});
const timeline = {
  request_id: 'req-1',
  milestones: {
    accepted: at(0),
    selected: at(100),
    ordered: at(1_000),
    first_machine: at(5_000),
    all_ready: at(10_000),
    returned: at(7_200_000),
  },
  durations_ms: { selected: 100, ordered: 1_000, first_machine: 5_000, all_ready: 10_000, returned: 7_200_000 },
  events: [
    event(0, 'request.created', { actor: { interface: 'cli', user: 'alice' }, data: { machine_count: 2 } }),
    event(100, 'attempt.opened', { provider_instance: 'east', data: { attempt: 1, api: 'RunInstances' } }),
    event(5_000, 'machine.ready', { data: { machine_ids: ['i-1', 'i-2'] } }),
  ],
};
const shown = (answer: object, columns?: number) =>
  answerTable('get_request_timeline', answer, { colors: false, ...(columns === undefined ? {} : { columns }) });

test('a timeline is a picture of its stages, then its events', (t) => {
  t.is(
    shown(timeline, 72),
    [
      'req-1 accepted at 2026-01-15T09:30:00.000Z',
      '',
      'selected       after 100 ms  ▍',
      'ordered        after 1.0 s   ████▎',
      'first machine  after 5.0 s       █████████████████',
      'all ready      after 10.0 s                       █████████████████████',
      'returned       after 2 h                                               →',
      '',
      'TIME     EVENT            MACHINE     PROVIDER          DETAILS',
      '                                      INSTANCE',
      '+0 ms    request.created                                machine_count 2',
      '+100 ms  attempt.opened               east              api RunInstances',
      '+5.0 s   machine.ready    2 machines',
      '',
    ].join('\n'),
  );
});

test('a timeline fits every terminal, also of a request that reached nothing', (t) => {
  const none = {
    ...timeline,
    milestones: { ...timeline.milestones, selected: null, ordered: null, first_machine: null, all_ready: null },
    durations_ms: { selected: null, ordered: null, first_machine: null, all_ready: null, returned: null },
  };
  for (const answer of [timeline, none, { ...none, events: [] }])
    for (const columns of [40, 60, 80, 200]) {
      const text = shown(answer, columns);
      for (const line of text.split('\n')) t.true(width(line) <= columns, `${columns}: ${line}`);
    }
  t.regex(shown(none), /^selected +not reached$/m);
  const instant = {
    ...timeline,
    durations_ms: { selected: 0, ordered: 0, first_machine: 0, all_ready: 0, returned: null },
  };
  t.regex(shown(instant, 80), /^all ready +after 0 ms +▏$/m);
});

test('many events are counted, and where all are is said', (t) => {
  const events = Array.from({ length: 100 }, (_, n) => event(n, 'machine.ready', { machine_id: `i-${n}` }));
  t.regex(shown({ ...timeline, events }), /\n60 further events: muster events --request-id req-1 --after 0\n$/);
  t.regex(shown({ ...timeline, events, more: true }), /\nMore than 60 further events: /);
});

test('durations are short and exact', (t) => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [12_000_000, '3 h 20 min'],
    [90_000_000, '1 d 1 h'],
  ];
  for (const [ms, text] of cases) t.is(duration(ms), text);
});

test('an event is one line: on a terminal as wide as it is, elsewhere whole; nothing in it is obeyed', (t) => {
  const told = {
    ...event(1_500, 'request.cancel_requested'),
    actor: { interface: 'rest' as const, address: '10.0.0.7', user: 'x\u001b[2J', name: 'alice\nroot' },
    data: { reason: 'too\u001b[31m slow', x_request_id: 'call-1', machine_ids: ['i-1', 'i-2'] },
  };
  const whole = eventLine(told, {});
  t.is(
    whole,
    '2026-01-15T09:30:01.500Z  request.cancel_requested  req-1  2 machines  reason too [31m slow  by rest alice root (x [2J) 10.0.0.7\n',
  );
  const cut = eventLine(told, { outColumns: 60 });
  t.is(cut, '09:30:01.500  request.cancel_requested  req-1  2 machines…\n');
  t.true(width(cut) <= 61);
});
