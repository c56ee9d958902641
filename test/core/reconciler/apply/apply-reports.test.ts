import test from 'ava';
import type { MachineReport } from '../../../../core/index.ts';
import { applyReports } from '../../../../core/reconciler/apply/apply-reports.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import { attemptOf, stateOf, machineOf, requestOf } from '../../../support/records.ts';

const report = (machine_id: string, status: MachineReport['status'] = 'running'): MachineReport => ({
  machine_id,
  status,
  ready: true,
});

/** The reason why each reported machine must go, for a target of three. */
function applied(known: readonly string[], ...reports: MachineReport[]): Record<string, string | undefined> {
  const attempt = attemptOf(1, { settled: false });
  const machines = known.map((id) => machineOf(id, { status: 'running', ready_at: 1 }));
  const change = new StateChange(stateOf({ attempts: [attempt], machines }), 10);
  applyReports(change, attempt, reports);
  return Object.fromEntries([...change.machines.all()].map(({ machine_id, going }) => [machine_id, going]));
}

test('machines beyond the target are surplus', (t) => {
  t.deepEqual(applied(['m-1', 'm-2'], report('m-3'), report('m-4')), {
    'm-1': undefined,
    'm-2': undefined,
    'm-3': undefined,
    'm-4': 'surplus',
  });
});

test('a machine that was gone before its first report takes no vacancy of its replacement', (t) => {
  for (const status of ['terminated', 'shutting-down'] as const) {
    const { 'm-4': replaced } = applied(['m-1', 'm-2'], report('m-3', status), report('m-4'));
    t.is(replaced, undefined, status);
  }
});

test('after the end a machine that counted as gone is delivered again when it has a vacancy, and surplus when it was replaced', (t) => {
  const gone = machineOf('m-1', { status: 'terminated', ready_at: 1, gone_at: 5, lost: true });
  const revived = (machine_count: number): string | undefined => {
    const attempt = attemptOf(1);
    const machines = [
      gone,
      machineOf('m-2', { status: 'running', ready_at: 1 }),
      machineOf('m-3', { status: 'running', ready_at: 1 }),
    ];
    const change = new StateChange(
      stateOf({
        request: requestOf({ machine_count, status: 'completed', kept_count: 2 }),
        attempts: [attempt],
        machines,
      }),
      10,
    );
    applyReports(change, attempt, [report('m-1')]);
    return change.machine(gone)?.going;
  };
  t.is(revived(3), undefined);
  t.is(revived(2), 'surplus');
});
