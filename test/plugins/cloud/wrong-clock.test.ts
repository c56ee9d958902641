import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { stage } from './support.ts';

const hour = 3_600_000;
const terminate = (there: Awaited<ReturnType<typeof stage>>) =>
  there.session.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: ['i-1'] }), there.call);
const suspend = (there: Awaited<ReturnType<typeof stage>>) =>
  there.session.groups.write(
    (sdk) => new sdk.SuspendProcessesCommand({ AutoScalingGroupName: 'none', ScalingProcesses: ['Launch'] }),
    there.call,
  );

for (const clock_skew_ms of [hour, -hour])
  test(`a clock that is ${clock_skew_ms / hour} h off: what one client learned, all clients of the session sign with`, async (t) => {
    const there = await stage({ cloud_max_retries: 1 }, {}, { knobs: { auth: { clock_skew_ms } } });
    t.teardown(there.close);
    await cloud.check?.(there.session, there.call);
    // Past the check of the signature, by clients that never had an answer.
    t.is((await t.throwsAsync<ProviderFault>(terminate(there)))?.code, 'InvalidInstanceID.Malformed');
    t.is((await t.throwsAsync<ProviderFault>(suspend(there)))?.code, 'ValidationError');
    t.regex(await there.session.account(there.call), /^\d{12}$/);
    const refused = there.simulator.audit().filter(({ code }) => /Expired|Signature/.test(code ?? ''));
    t.is(refused.length, 1);
  });

test('a first call that changes the cloud is repeated after a correction of the clock, without a fault of the instance', async (t) => {
  const there = await stage({}, {}, { knobs: { auth: { clock_skew_ms: hour } } });
  t.teardown(there.close);
  const first = await t.throwsAsync<ProviderFault>(terminate(there));
  t.is(first?.kind, 'unavailable');
  t.regex(
    first?.message ?? '',
    /clock of this host is wrong .* Set the clock of this host\. Error Code: RequestExpired$/,
  );
  t.is((await t.throwsAsync<ProviderFault>(terminate(there)))?.code, 'InvalidInstanceID.Malformed');
});

test('expired credentials on a host with a wrong clock stay a fault of the credentials', async (t) => {
  const there = await stage({}, {}, { knobs: { auth: { clock_skew_ms: hour } } });
  t.teardown(there.close);
  await cloud.check?.(there.session, there.call);
  there.simulator.setKnobs({ auth: { expired: [{}] } });
  t.is((await t.throwsAsync<ProviderFault>(terminate(there)))?.kind, 'credentials');
});
