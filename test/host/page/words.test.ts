import test from 'ava';
import { eventTypes } from '../../../core/journal/event-types.ts';
import { calmMessage } from '../../../host/page/words/calm-message.ts';
import { credentialState } from '../../../host/page/words/credential-state.ts';
import { ago, countdown, duration } from '../../../host/page/words/durations.ts';
import { gathered } from '../../../host/page/views/now/gather.ts';
import { costOfAll, costText, dollars, priceText } from '../../../host/page/words/cost.ts';
import { eventSentence } from '../../../host/page/words/event-sentence.ts';
import { count, figure } from '../../../host/page/words/numbers.ts';

test('durations are read as people read them', (t) => {
  const second = 1_000;
  const rows: readonly (readonly [number, string])[] = [
    [-5, '0 ms'],
    [840, '840 ms'],
    [41.34 * second, '41.3 s'],
    [60 * second, '1 min 00 s'],
    [125 * second, '2 min 05 s'],
    [11_520 * second, '3 h 12 min'],
    [187_200 * second, '2 d 4 h'],
  ];
  for (const [ms, words] of rows) t.is(duration(ms), words);
  t.is(ago(1_000, 2_000), 'just now');
  t.is(ago(0, 130_000), '2 min ago');
  t.is(countdown(118_000), '1:58');
  t.is(countdown(-1), '0:00');
  t.is(countdown(3_723_000), '1:02:03');
});

test('numbers have their groups, and nouns their number', (t) => {
  t.is(figure(12_480), '12\u202f480');
  t.is(count(1, 'machine'), '1 machine');
  t.is(count(0, 'machine'), '0 machines');
});

test('the answers of a cloud do not run into each other', (t) => {
  t.is(
    calmMessage(
      '0 of 4 machines delivered. CreateFleet: It ended. Try again. Error Code: UnfulfillableCapacity RunInstances: No such image. Error Code: InvalidAMIID.NotFound',
    ),
    '0 of 4 machines delivered. CreateFleet: It ended. Try again (UnfulfillableCapacity). RunInstances: No such image (InvalidAMIID.NotFound).',
  );
  t.is(calmMessage('5 of 5 machines delivered.'), '5 of 5 machines delivered.');
});

test('costs are read as people read them, and machines without a price are told', (t) => {
  for (const [usd, words] of [
    [0, '$0.00'],
    [0.0000004, '$0.0000004'],
    [0.0052, '$0.0052'],
    [0.096, '$0.096'],
    [0.48, '$0.48'],
    [4.512, '$4.51'],
    [12_480.5, '$12\u202f480.50'],
  ] as const)
    t.is(dollars(usd), words);
  t.deepEqual([priceText({ usd_per_hour: 0.096 }), priceText(null)], ['$0.0960', '–']);
  const machines = [
    { cost: { usd_per_hour: 0.096, usd_so_far: 1.2 } },
    { cost: { usd_per_hour: 0, usd_so_far: 0.3 } },
    { cost: null },
  ];
  t.is(costText(costOfAll(machines)), '$0.096 an hour, $1.50 so far, 1 machine unpriced');
  t.is(costText(costOfAll(machines.slice(1, 2))), '$0.30 so far');
  t.is(costText(costOfAll(machines.slice(2))), '1 machine unpriced');
  t.is(costText(costOfAll([])), '$0.00 so far');
});

test('credentials are marked before they end, unless their source renews them, and when they have ended', (t) => {
  const minute = 60_000;
  const rows: readonly (readonly [left: number, renewed: boolean, 'part' | 'bad' | undefined, string])[] = [
    [5 * 60 * minute, false, undefined, 'end in 5 h'],
    [60 * minute, false, 'part', 'end in 1 h'],
    [59 * minute, true, undefined, 'end in 59 min, renewed before'],
    [3 * minute, true, 'part', 'end in 3 min, renewed before'],
    [-2 * minute, false, 'bad', 'ended 2 min ago'],
    [-2 * minute, true, 'part', 'ended 2 min ago; the next call gets new ones'],
  ];
  for (const [left, renewed, mark, words] of rows) {
    const shown = credentialState({ source: 'x', expires_at: new Date(1e12 + left).toISOString(), renewed }, 1e12);
    t.is(shown.mark, mark, words);
    t.is(shown.words, words);
  }
  t.deepEqual(credentialState({ source: 'x', expires_at: null, renewed: false }, 1e12), { words: 'no end known' });
});

const actor = { interface: 'broker' } as const;
const event = (type: string, data: Record<string, unknown>) => ({ seq: 1, at: '', type, actor, data });

test('an event is one sentence', (t) => {
  const rows: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
    ['request.created', { machine_count: 3, template_id: 'small' }, '3 machines of small requested', 'news'],
    ['request.completed', { requested: 3, delivered: 3 }, 'Completed: 3 machines delivered', 'news'],
    ['request.completed', { requested: 3, delivered: 1 }, 'Completed with 1 of 3 machines', 'notice'],
    ['machine.ready', { provider_instance: 'east', machine_ids: ['i-1', 'i-2'] }, '2 machines ready at east', 'news'],
    ['attempt.refused', { provider_instance: 'east', message: 'no room' }, 'Order refused at east: no room', 'notice'],
    ['machine.lost', { provider_instance: 'east', machine_ids: ['i-1'] }, '1 machine lost at east', 'trouble'],
    [
      'budget.nearly_used',
      { budget: 'render', limit: 'max_machines', used: 12, max: 15, message: 'Said already.' },
      "Budget 'render' is nearly used up: 12 of 15 (max_machines)",
      'notice',
    ],
    ['something.new', {}, 'something.new', 'news'],
  ];
  for (const [type, data, text, weight] of rows)
    t.deepEqual(eventSentence(event(type, data)), { text, weight } as never);
});

test('a type of event that the page does not know is shown by its name, whatever that is', (t) => {
  for (const type of ['budget.exceeded', 'constructor', '__proto__'])
    t.is(
      eventSentence({ seq: 1, at: '2026-01-01T00:00:00.000Z', type, actor: { interface: 'broker' }, data: {} }).text,
      type,
    );
});

test('every type of event has a sentence', (t) => {
  for (const type of Object.keys(eventTypes)) t.not(eventSentence(event(type, {})).text, type);
});

test('events about machines of one request that follow each other are told as one', (t) => {
  const ready = (seq: number, request_id: string, machines: number, seconds = seq) => ({
    seq,
    at: new Date(seconds * 1_000).toISOString(),
    type: 'machine.ready',
    request_id,
    provider_instance: 'east',
    actor,
    data: { machine_ids: Array.from({ length: machines }, (_, index) => `i-${seq}-${index}`) },
  });
  const newestFirst = [ready(6, 'a', 2, 60), ready(5, 'a', 1), ready(4, 'b', 1), ready(3, 'a', 3), ready(2, 'a', 1)];
  t.deepEqual(
    gathered(newestFirst, 10).map(({ event: { seq }, machines, key }) => [seq, machines, key]),
    [
      [6, 2, 6],
      [5, 5, 2],
      [4, 1, 4],
    ],
  );
  t.is(gathered(newestFirst, 1).length, 1);
});
