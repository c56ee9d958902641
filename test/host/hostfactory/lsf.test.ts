import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { ask } from './in-process.ts';
import { makeScheduler } from './support.ts';

const file = { imageId: 'ami-1', subnetId: 'subnet-1', vmType: 'c5.xlarge', maxNumber: 5 };
const templates = [
  {
    templateId: 'Template-VM-1',
    attributes: { type: ['String', 'X86_64'], mem: ['Numeric', '1024'], awshost: ['Boolean', '1'] },
    ...file,
  },
  { templateId: 'Template-VM-2', ...file },
];
const lsf = { dialect: 'lsf' } as const;

test('LSF reads mem where Symphony reads nram', async (t) => {
  const broker = await bootBroker({ templates, loop: 'none' });
  t.teardown(() => broker.close());
  const attributes = async (env: object) =>
    (await ask(broker, 'getAvailableTemplates', {}, env)).answer.templates.map((each: any) => each.attributes);
  const [said, filled] = await attributes(lsf);
  t.deepEqual(said, {
    type: ['String', 'X86_64'],
    mem: ['Numeric', '1024'],
    awshost: ['Boolean', '1'],
    ncpus: ['Numeric', '2'],
    ncores: ['Numeric', '2'],
  });
  t.deepEqual([filled.mem, filled.nram], [['Numeric', '8192'], undefined]);
  const [, forSymphony] = await attributes({});
  t.deepEqual([forSymphony.nram, forSymphony.mem], [['Numeric', '8192'], undefined]);
});

test('LSF names an account, which tags the machines and comes back with them, with what LSF wants to know of them', async (t) => {
  const broker = await bootBroker({ templates });
  t.teardown(() => broker.close());
  const asked = async (more: object) => {
    const { answer } = await ask(
      broker,
      'requestMachines',
      { template: { templateId: 'Template-VM-1', machineCount: 1 }, ...more },
      lsf,
    );
    t.deepEqual([Object.keys(answer), answer.status], [['message', 'requestId', 'status'], 'running']);
    return broker.until(async () => {
      const [found] = (await ask(broker, 'getRequestStatus', { requests: [{ requestId: answer.requestId }] }, lsf))
        .answer.requests;
      return found.status === 'complete' && found;
    });
  };
  const named = await asked({ rc_account: 'research', userData: { zone: 'a' } });
  const [machine] = named.machines;
  t.like(machine, {
    rcAccount: 'research',
    lifeCycleType: 'OnDemand',
    ncores: 2,
    nthreads: 4,
    instanceTags: 'RC_ACCOUNT=research',
  });
  t.false('priceType' in machine);
  t.deepEqual(named.additionalData, { rc_account: 'research', userData: { zone: 'a' } });
  t.like((await asked({})).machines[0], { rcAccount: 'default', instanceTags: 'RC_ACCOUNT=default' });
  const returned = await ask(broker, 'requestReturnMachines', { machines: [{ machineId: machine.machineId }] }, lsf);
  t.is(returned.answer.status, 'running');
  const nothing = await ask(broker, 'requestReturnMachines', { machines: [{ machineId: 'i-0' }] }, lsf);
  t.deepEqual([nothing.answer.message, nothing.answer.status], ['No Active VM.', 'complete']);
});

test('a refusal tells LSF whether the template or only this call failed; Symphony gets neither', async (t) => {
  const broker = await bootBroker({ templates, loop: 'none' });
  t.teardown(() => broker.close());
  const wanted = (templateId: unknown, machineCount: unknown) => ({ template: { templateId, machineCount } });
  const calls = [
    ['requestMachines', wanted('nobody-has-it', 1), 'error'],
    ['requestMachines', wanted('', 1), 'error'],
    ['requestMachines', wanted('Template-VM-1', 0), 'warning'],
    ['requestMachines', wanted('Template-VM-1', 6), 'warning'],
    ['requestMachines', [], 'warning'],
    ['requestReturnMachines', { machines: [] }, 'warning'],
  ] as const;
  for (const [script, input, status] of calls) {
    const { code, answer } = await ask(broker, script, input, lsf);
    t.deepEqual([code, answer.status, typeof answer.message], [1, status, 'string'], JSON.stringify([input, answer]));
    t.false('status' in (await ask(broker, script, input)).answer);
  }
});

test('the start script contains the variables of a request at the mark of the template', async (t) => {
  const scripted = {
    templateId: 'scripted',
    ...file,
    userData: Buffer.from('#!/bin/sh\n%EXPORT_USER_DATA%\nrun').toString('base64'),
  };
  const broker = await bootBroker({ templates: [scripted], loop: 'none' });
  t.teardown(() => broker.close());
  const asked = {
    template: { templateId: 'scripted', machineCount: 1 },
    rc_account: 'research',
    userData: { zone: "a'b", '1bad': 'x' },
  };
  const scriptOf = async (env: object) => {
    const { answer } = await ask(broker, 'requestMachines', asked, env);
    const request = await broker.broker.store.get('request', { request_id: answer.requestId });
    return Buffer.from(String(request?.template?.user_data), 'base64').toString();
  };
  t.is(await scriptOf(lsf), "#!/bin/sh\nexport zone='a'\\''b'; export rc_account='research';\nrun");
  t.is(await scriptOf({}), '#!/bin/sh\n%EXPORT_USER_DATA%\nrun');
});

test('LSF’s surroundings are found: configuration below PRO_CONF_DIR, data and log where LSF says', async (t) => {
  const scheduler = await makeScheduler({ dialect: 'lsf', templates });
  t.teardown(scheduler.close);
  const { directory } = scheduler.place;
  await mkdir(join(directory, 'pro/conf'), { recursive: true });
  for (const name of ['muster.config.json', 'templates.json'])
    await rename(join(directory, name), join(directory, 'pro/conf', name));
  const env = {
    HF_PROVIDER_NAME: '',
    HF_PROVIDER_CONFDIR: '',
    HF_PROVIDER_WORKDIR: '',
    HF_PROVIDER_LOGDIR: '',
    PROVIDER_NAME: 'work',
    PRO_CONF_DIR: join(directory, 'pro'),
    // LSF's directory is for all providers; the one for this is named after it.
    PRO_DATA_DIR: directory,
    PRO_LSF_LOGDIR: scheduler.logs,
    SCRIPT_OPTIONS: '-Dother=1',
  };
  const { code, answer, stdout } = await scheduler.run('getAvailableTemplates', {}, env);
  t.is(code, 0, stdout);
  t.deepEqual(answer.templates[1].attributes.mem, ['Numeric', '8192']);
  const unknown = await scheduler.run('requestMachines', { template: {} }, env);
  t.deepEqual([unknown.code, unknown.answer], [1, { message: 'Invalid template.', status: 'error' }]);
});
