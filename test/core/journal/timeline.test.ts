import test from 'ava';
import { eventRecord } from '../../../core/contract/commits/new-event.ts';
import type { EventType } from '../../../core/journal/event-types.ts';
import { MilestoneFinder, type Milestones } from '../../../core/journal/timeline.ts';
import { aRequest } from '../../../plugin-testkit/storage/records.ts';
import type { RequestRecord } from '../../../core/model/request.ts';

type Told = readonly [at: number, type: EventType, machine_ids?: readonly string[]];

const cases: readonly (readonly [string, Partial<RequestRecord>, readonly Told[], number, Partial<Milestones>])[] = [
  ['an accepted request', {}, [[100, 'request.created']], 0, { accepted: 100 }],
  [
    'a delivered request',
    { completed_at: 900 },
    [
      [200, 'attempt.opened'],
      [250, 'attempt.refused'],
      [300, 'attempt.opened'],
      [400, 'attempt.launched'],
      [500, 'machine.ready', ['m-1', 'm-2']],
      [600, 'machine.ready', ['m-2']],
      [700, 'machine.ready', ['m-3']],
      [800, 'machine.ready', ['m-4']],
    ],
    4,
    { selected: 200, ordered: 400, first_machine: 500, all_ready: 700 },
  ],
  [
    'a partly delivered request whose machines are gone',
    { completed_at: 900 },
    [
      [200, 'attempt.opened'],
      [400, 'attempt.launched'],
      [500, 'machine.ready', ['m-1']],
      [950, 'machine.gone', ['m-1']],
      [960, 'machine.lost', ['m-2']],
    ],
    0,
    { selected: 200, ordered: 400, first_machine: 500, returned: 960 },
  ],
  [
    'an open request that lost a machine',
    {},
    [
      [500, 'machine.ready', ['m-1']],
      [600, 'machine.lost', ['m-1']],
    ],
    0,
    { first_machine: 500 },
  ],
  [
    'a request that gets a machine for one that it lost',
    {},
    [
      [500, 'machine.ready', ['m-1', 'm-2']],
      [600, 'machine.lost', ['m-2']],
      [700, 'machine.ready', ['m-3']],
      [800, 'machine.ready', ['m-4']],
    ],
    3,
    { first_machine: 500, all_ready: 800 },
  ],
  [
    'a refused request',
    { completed_at: 300 },
    [
      [200, 'attempt.opened'],
      [210, 'attempt.refused'],
    ],
    0,
    { selected: 200 },
  ],
  ['a return', { kind: 'return', completed_at: 400 }, [[400, 'return.completed']], 0, { returned: 400 }],
];

for (const [what, request, told, living, expected] of cases)
  test(`the milestones of ${what}`, (t) => {
    const finder = new MilestoneFinder(aRequest('req-1', { created_at: 100, machine_count: 3, ...request }));
    for (const [at, type, machine_ids] of told)
      finder.add(
        eventRecord(at, type, { provider_instance: 'east', ...(machine_ids ? { machine_ids } : {}) }, 'req-1'),
      );
    const none = { selected: null, ordered: null, first_machine: null, all_ready: null, returned: null };
    t.deepEqual(finder.milestones(living), { accepted: 100, ...none, ...expected });
  });
