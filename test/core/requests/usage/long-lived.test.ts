import test from 'ava';
import type { Change, MachineRecord } from '../../../../core/index.ts';
import { usageOf, usageTopic } from '../../../../core/model/usage/usage.ts';
import { endMachine } from '../../../../core/reconciler/apply/apply-reports.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import { attemptOf, machineOf, requestOf, stateOf } from '../../../support/records.ts';

const day = 86_400_000;
const now = Date.parse('2026-06-15T13:00:00Z');
const mostRows = 200;

const msOf = (rows: ReturnType<typeof usageOf>) => rows.reduce((sum, { amounts }) => sum + amounts.machine_ms, 0);

/** What is counted after some commits: the sums, and the machines that live. */
function counted(machines: readonly MachineRecord[], changes: readonly Change[]): number {
  const stored = new Map(machines.map((machine) => [machine.machine_id, machine]));
  let sums = 0;
  for (const change of changes) {
    if (change.op === 'put' && change.kind === 'machine') stored.set(change.record.machine_id, change.record);
    if (change.op === 'add' && change.key.topic === usageTopic) sums += change.amounts['machine_ms'] ?? 0;
  }
  const living = [...stored.values()].filter(({ gone_at }) => gone_at === undefined);
  return sums + msOf(living.flatMap((machine) => usageOf(machine, now)));
}

for (const [days, count, rows] of [
  [400, 1, mostRows],
  [400, 12, mostRows],
  [30, 3, 2],
  [1.5, 150, mostRows],
] as const)
  test(`${count} machines that lived ${days} days end in commits of ${rows} rows, and count once after each`, (t) => {
    const machines = Array.from({ length: count }, (_, index) =>
      machineOf(`m-${index}`, {
        created_at: now - days * day - index * 1000,
        ...(index % 2 === 0 ? {} : { machine_type: `type-${index % 7}` }),
      }),
    );
    const total = counted(machines, []);
    const change = new StateChange(stateOf({ request: requestOf({}), attempts: [attemptOf(1)], machines }), now);
    for (const machine of machines) endMachine(change, machine, undefined);
    change.derive();
    const commits = change.commits(rows);
    for (let stored = 0; stored <= commits.length; stored += 1)
      t.is(counted(machines, commits.slice(0, stored).flat()), total, `after commit ${stored} of ${commits.length}`);
    // Beside the fence. The request, a machine, its event and its day are stored together, however few rows are asked.
    t.true(Math.max(...commits.map(({ length }) => length)) <= Math.max(rows, 4) + 1);
    t.true([...change.machines.all()].every(({ gone_at }) => gone_at === now));

    // A machine that was taken for gone and lives takes back what its end counted, and nothing else.
    const ended = [...change.machines.all()];
    const again = new StateChange(stateOf({ request: requestOf({}), attempts: [attemptOf(1)], machines: ended }), now);
    for (const machine of ended) again.unsetMachine(machine, 'gone_at');
    again.derive();
    const revived = [...commits.flat(), ...again.commits(rows).flat()];
    t.is(counted(machines, revived), total);
  });
