import test from 'ava';
import type { MachineReport } from '../../../../core/index.ts';
import { applyReports } from '../../../../core/reconciler/apply/apply-reports.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import type { MachineRecord } from '../../../../core/model/machine.ts';
import { usageOf } from '../../../../core/model/usage/usage.ts';
import { attemptOf, stateOf } from '../../../support/records.ts';

const second = 1_000;
const start = Date.parse('2026-01-01T10:00:00Z');
const iso = (seconds: number) => new Date(start + seconds * second).toISOString();

type Step = readonly [seconds: number, status: MachineReport['status'], dates?: Partial<MachineReport>];

/** Seconds of use after these reports, which arrive at these seconds of the host's clock. */
function secondsUsed(...steps: readonly Step[]): number {
  const attempt = attemptOf(1, { settled: false });
  let machines: readonly MachineRecord[] = [];
  for (const [seconds, status, dates] of steps) {
    const change = new StateChange(stateOf({ attempts: [attempt], machines }), start + seconds * second);
    applyReports(change, attempt, [{ machine_id: 'm-1', status, ready: status === 'running', ...dates }]);
    machines = [...change.machines.all()];
  }
  const [machine] = machines;
  const last = steps.at(-1)?.[0] ?? 0;
  return machine
    ? usageOf(machine, start + last * second).reduce((sum, { amounts }) => sum + amounts.machine_ms, 0) / second
    : -1;
}

const launched_at = iso(-3);
const cases: readonly (readonly [what: string, expected: number, ...steps: Step[]])[] = [
  ['a machine that lives is used from its launch until now', 63, [0, 'running', { launched_at }], [60, 'running']],
  ['a launch that is dated later counts', 63, [0, 'pending'], [60, 'running', { launched_at }]],
  [
    'the end is that of the provider, however late it is learnt of',
    53,
    [0, 'running', { launched_at }],
    [90, 'terminated', { ended_at: iso(50) }],
  ],
  [
    'the first end counts, in one report or in two',
    53,
    [0, 'running', { launched_at }],
    [55, 'shutting-down', { launched_at, ended_at: iso(50) }],
    [90, 'terminated', { launched_at, ended_at: iso(80) }],
  ],
  [
    'both dates may come in the last report',
    43,
    [0, 'pending'],
    [90, 'terminated', { launched_at, ended_at: iso(40) }],
  ],
  [
    'the clock of the provider may differ by minutes',
    50,
    [0, 'running', { launched_at: iso(300) }],
    [60, 'terminated', { ended_at: iso(350) }],
  ],
  ['without dates the times of the host count', 60, [0, 'running'], [60, 'terminated']],
  ['an end without a launch says nothing', 60, [0, 'running'], [60, 'terminated', { ended_at: iso(5) }]],
  [
    'a launch years ago is not believed, and no end by the same clock',
    60,
    [0, 'running', { launched_at: '2020-01-01T00:00:00Z' }],
    [60, 'terminated', { ended_at: '2020-01-01T00:00:30Z' }],
  ],
  [
    'an end before the launch is not believed',
    63,
    [0, 'running', { launched_at }],
    [60, 'terminated', { ended_at: iso(-10) }],
  ],
  [
    'an end in the far future is not believed',
    63,
    [0, 'running', { launched_at }],
    [60, 'terminated', { ended_at: '2027-01-01T00:00:00Z' }],
  ],
  [
    'a machine that runs again is used again',
    93,
    [0, 'running', { launched_at }],
    [20, 'shutting-down', { ended_at: iso(10) }],
    [90, 'running'],
  ],
];

for (const [what, expected, ...steps] of cases)
  test(`use by the dates of the provider: ${what}`, (t) => void t.is(secondsUsed(...steps), expected));
