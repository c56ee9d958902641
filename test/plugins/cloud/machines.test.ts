import test from 'ava';
import { reportOf } from '../../../plugins/cloud/observe/machines.ts';

const reported = (InstanceLifecycle?: 'spot' | 'capacity-block' | 'scheduled') =>
  reportOf({ InstanceId: 'i-1', State: { Name: 'running' }, ...(InstanceLifecycle ? { InstanceLifecycle } : {}) });

test('a machine is reported with the market that EC2 names', (t) => {
  t.is(reported().market, 'on-demand');
  t.is(reported('scheduled').market, 'on-demand');
  t.is(reported('spot').market, 'spot');
  t.is(reported('capacity-block').market, 'capacity-block');
});
