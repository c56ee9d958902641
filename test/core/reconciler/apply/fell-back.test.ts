import test from 'ava';
import { fellBack } from '../../../../core/reconciler/apply/fell-back.ts';
import { aMachine, anAttempt, aRequest } from '../../../../plugin-testkit/storage/records.ts';

const request = { ...aRequest('req-1'), selected_instance: 'east' };
const short = { kind: 'capacity', code: 'X', message: 'There is no capacity.' } as const;
const attempts = [
  anAttempt(1, { provider_instance: 'east', shortfall: [short] }),
  anAttempt(2, { provider_instance: 'west', shortfall: [] }),
];
const ready = (id: string, provider_instance: string, more = {}) =>
  aMachine(id, { provider_instance, ready_at: 1, ...more });

for (const [what, machines, told, expected] of [
  ['all from the selected one', [ready('1', 'east')], [], ''],
  ['none', [], [], ''],
  ['one that was never ready', [aMachine('1', { provider_instance: 'west' })], [], ''],
  ['a replacement', [ready('1', 'west', { replaces: { provider_instance: 'east', machine_id: '0' } })], [], ''],
  [
    'two from another',
    [ready('1', 'east'), ready('2', 'west'), ready('3', 'west')],
    [],
    "2 from 'west' instead of 'east': There is no capacity.",
  ],
  [
    'from two markets of another',
    [ready('1', 'west', { market: 'spot' }), ready('2', 'west', { market: 'on-demand' })],
    [],
    "1 from 'west' (spot), 1 from 'west' (ondemand) instead of 'east': There is no capacity.",
  ],
  [
    'where the reason is told anyway',
    [ready('2', 'west')],
    ['There is no capacity.'],
    "1 from 'west' instead of 'east'.",
  ],
] as const)
  test(`what is told of machines from another instance: ${what}`, (t) => {
    t.is(fellBack(request, attempts, machines, told), expected);
  });

test('a reason without a full stop gets one; an attempt without a shortfall tells its message', (t) => {
  const refused = [anAttempt(1, { provider_instance: 'east', shortfall: [], message: 'east does not answer' })];
  t.is(fellBack(request, refused, [ready('1', 'west')]), "1 from 'west' instead of 'east': east does not answer.");
});
