import test from 'ava';
import { healthSentence, isHealthy } from '../../../core/operations/machines/machine-health.ts';
import { machineOf } from '../../support/records.ts';
import type { MachineRecord } from '../../../core/index.ts';

const reclaim_at = '2026-01-01T10:02:00.000Z';

const cases: readonly (readonly [Partial<MachineRecord>, boolean, string])[] = [
  [{}, true, 'It runs.'],
  [{ message: 'EC2 recommends to replace it.' }, true, 'EC2 recommends to replace it.'],
  [{ reclaim_at }, false, `The cloud takes it back at ${reclaim_at}.`],
  [
    { reclaim_at, message: 'EC2 interrupts the Spot instance (terminate).' },
    false,
    `EC2 interrupts the Spot instance (terminate). The cloud takes it back at ${reclaim_at}.`,
  ],
  [{ status: 'pending', ready_at: undefined as never }, false, 'It is starting.'],
  [{ ready_at: undefined as never }, false, 'It runs, but its name and address are not known yet.'],
  [{ going: 'returned' }, false, 'It was returned, and is being released.'],
  [{ going: 'returned', reclaim_at }, false, 'It was returned, and is being released.'],
  [
    { going: 'returned', status: 'shutting-down', message: 'User initiated.' },
    false,
    'It was returned, and is being released.',
  ],
  [{ going: 'returned', status: 'terminated', gone_at: 1 }, false, 'It was returned, and is gone.'],
  [{ going: 'cancelled' }, false, 'Its request was cancelled, and it is being released.'],
  [{ going: 'surplus' }, false, 'More machines came than were requested, and it is being released.'],
  [{ going: 'late' }, false, 'It came after the end of its request, and is being released.'],
  [{ going: 'failed', status: 'failed', message: 'It was not ready in time.' }, false, 'It was not ready in time.'],
  [{ going: 'failed', status: 'failed' }, false, 'It never became usable, and is being released.'],
  [{ going: 'failed', status: 'stopped', lost: true }, false, 'It is stopped, and no caller returned it.'],
  [{ status: 'shutting-down' }, false, 'It is shutting-down, and no caller returned it.'],
  [{ status: 'terminated', lost: true, gone_at: 1 }, false, 'It is terminated, and no caller returned it.'],
  [{ status: 'terminated', lost: true, gone_at: 1, message: 'Spot interruption.' }, false, 'Spot interruption.'],
];

for (const [index, [fields, healthy, sentence]] of cases.entries())
  test(`${index}: the health of a machine with ${JSON.stringify(fields)}`, (t) => {
    const machine = JSON.parse(JSON.stringify(machineOf('m-1', fields))) as MachineRecord;
    t.is(isHealthy(machine), healthy);
    t.is(healthSentence(machine), sentence);
  });
