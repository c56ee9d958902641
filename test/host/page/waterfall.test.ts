import test from 'ava';
import { asCommand, asCurl } from '../../../host/page/views/request/commands.ts';
import { timeScale } from '../../../host/page/views/request/time-scale.ts';
import { mostLanes, waterfall } from '../../../host/page/views/request/waterfall-layout.ts';
import type { Attempt, Machine } from '../../../host/page/api/shapes.ts';

const begin = Date.parse('2026-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(begin + ms).toISOString();

const machine = (index: number, times: Partial<Machine> = {}): Machine =>
  ({
    machine_id: `i-${index}`,
    provider_instance: 'east',
    status: 'running',
    attempt: 1,
    created_at: at(1_000),
    ready_at: at(3_000),
    gone_at: null,
    ...times,
  }) as Machine;

const attempt = (times: Partial<Attempt> = {}): Attempt => ({
  attempt: 1,
  provider_instance: 'east',
  api: 'EC2Fleet',
  machine_count: 2,
  offers: [],
  token: 't',
  state: 'launched',
  cloud_request_ids: [],
  outcomes: [],
  created_at: at(200),
  sent_at: at(400),
  ended_at: at(1_000),
  ...times,
});

test('time is linear while a request is open', (t) => {
  const scale = timeScale(0, 10_000, 10_000);
  t.is(scale.cut, undefined);
  t.deepEqual([0, 5_000, 10_000, -1, 99_999].map(scale.at), [0, 50, 100, 0, 100]);
  t.deepEqual(
    scale.ticks.map(({ label }) => label),
    ['0', '2 s', '4 s', '6 s', '8 s', '10 s'].map((label) => label),
  );
});

test('the use of machines after the request is drawn on a scale of its own, so that the request stays legible', (t) => {
  const day = 86_400_000;
  const scale = timeScale(0, 4_000, 3 * day);
  t.true(scale.cut !== undefined);
  t.is(scale.at(4_000), 84);
  t.is(scale.at(2_000), 42);
  t.is(scale.at(3 * day), 100);
  const times = [0, 1_000, 4_000, 5_000, day, 2 * day, 3 * day];
  t.deepEqual(
    times.map(scale.at),
    times.map(scale.at).toSorted((a, b) => a - b),
  );
});

test('every place is on the line, also with times that contradict each other', (t) => {
  const drawn = waterfall({
    created_at: at(0),
    completed_at: at(2_000),
    now: begin - 5_000,
    attempts: [attempt({ created_at: at(-400), sent_at: at(9_000), ended_at: at(100) })],
    machines: [machine(1, { ready_at: at(500) }), machine(2, { gone_at: at(10), ready_at: null })],
  });
  for (const { stretches, lanes, moments } of drawn.attempts) {
    for (const { from, to } of [...stretches, ...lanes.flatMap((lane) => lane.stretches)])
      t.true(from >= 0 && to <= 100, `${from} to ${to}`);
    for (const moment of moments) t.true(moment.at >= 0 && moment.at <= 100);
  }
});

test('a refusal of the cloud stands in the lane of its order', (t) => {
  const refused = attempt({
    ended_at: at(900),
    outcomes: [{ at: at(900), code: 'InsufficientInstanceCapacity', message: 'none', count: 3 }],
  });
  const { sent_at: _sent, ended_at: _ended, ...waiting } = attempt({ attempt: 2, created_at: at(900) });
  const drawn = waterfall({
    created_at: at(0),
    completed_at: null,
    now: begin + 1_800,
    attempts: [refused, waiting],
    machines: [],
  });
  t.deepEqual(drawn.attempts[0]?.moments, [{ kind: 'outcome', at: 50, text: 'InsufficientInstanceCapacity ×3' }]);
  t.deepEqual(drawn.attempts[1]?.stretches, [{ kind: 'waiting', from: 50, to: 100 }]);
});

test('many machines are drawn as their number over time', (t) => {
  const machines = Array.from({ length: mostLanes + 1 }, (_, index) =>
    machine(index, { ready_at: at(2_000 + index * 10) }),
  );
  const drawn = waterfall({ created_at: at(0), completed_at: at(4_000), now: begin + 5_000, attempts: [], machines });
  const [lane] = drawn.attempts;
  t.is(lane?.lanes.length, 0);
  t.is(lane?.crowd?.most, mostLanes + 1);
  t.is(lane?.crowd?.launched.at(-1)?.[1], mostLanes + 1);
  t.is(lane?.crowd?.ready.at(-1)?.[1], mostLanes + 1);
});

test('labels of milestones that are near each other stand in different rows', (t) => {
  const drawn = waterfall({
    created_at: at(0),
    completed_at: at(10_000),
    now: begin + 10_000,
    timeline: {
      request_id: 'req-1',
      milestones: {
        accepted: at(0),
        selected: at(5),
        ordered: at(300),
        first_machine: at(6_000),
        all_ready: at(10_000),
        returned: null,
      },
      durations_ms: { selected: 5, ordered: 300, first_machine: 6_000, all_ready: 10_000, returned: null },
      events: [],
    },
    attempts: [],
    machines: [],
  });
  t.deepEqual(
    drawn.milestones.map(({ name, row, before }) => [name, row, before]),
    [
      ['accepted', 0, false],
      ['selected', 1, false],
      ['ordered', 2, false],
      ['first_machine', 0, false],
      ['all_ready', 0, true],
    ],
  );
});

test('a request is copied as a command that a shell reads as it was meant', (t) => {
  const request = {
    request_id: 'req-1',
    template_id: 'small',
    requested_count: 2,
    additional_data: { note: "it's; $HOME" },
  };
  t.is(asCommand(request), `muster requests create small 2 --additional-data '{"note":"it'\\''s; $HOME"}'`);
  t.is(
    asCurl({ ...request, additional_data: undefined as never }, 'http://127.0.0.1:8000'),
    `curl http://127.0.0.1:8000/api/v1/machines/request -H 'content-type: application/json' -d '{"template_id":"small","machine_count":2}'`,
  );
  t.is(
    asCommand({ request_id: 'ret-1', template_id: null, requested_count: 2, machine_ids: ['i-1', 'east/i-2'] }),
    'muster machines return i-1 east/i-2',
  );
});
