import test from 'ava';
import { dialects, type Dialect } from '../crash/support/dialect.ts';
import { Stage } from '../crash/support/stage.ts';
import { until } from '../crash/support/until.ts';

const templates = {
  'templates.json': {
    templates: [
      {
        template_id: 'own',
        provider_api: 'EC2Fleet',
        image_id: 'ami-1',
        machine_types: { 'm5.large': 1, 'm5a.large': 1 },
        subnet_ids: ['subnet-1', 'subnet-2'],
        security_group_ids: ['sg-1'],
        max_instances: 10,
      },
    ],
  },
  'awsprov_templates.json': {
    templates: [
      {
        templateId: 'hostfactory',
        maxNumber: 10,
        attributes: {
          type: ['String', 'X86_64'],
          ncores: ['Numeric', '1'],
          ncpus: ['Numeric', '1'],
          nram: ['Numeric', '1024'],
        },
        imageId: 'ami-1',
        subnetId: 'subnet-1',
        vmType: 't3.micro',
        keyName: 'some-key',
        securityGroupIds: ['sg-1'],
        instanceTags: 'group=project1;cost=42',
        userData: 'zone=here',
      },
    ],
  },
};

const open = (dialect: Dialect) => Stage.open({ dialect, templates, knobs: { boot_ms: 500, shutdown_ms: 300 } });

const running = ({ machines }: Awaited<ReturnType<Stage['seen']>>) =>
  machines.flatMap(({ machine_id, status }) => (status === 'running' ? [machine_id] : [])).toSorted();

for (const dialect of dialects) {
  const { scheduler } = dialect;

  test(`templates of both forms are listed (${scheduler})`, async (t) => {
    const stage = await open(dialect);
    t.teardown(() => stage.close());
    const { status, body } = await stage.call('GET', '/templates/');
    t.is(status, 200);
    const ids = body.templates.map((each: any) => each.template_id ?? each.templateId);
    t.deepEqual(ids.toSorted(), ['hostfactory', 'own']);
  });

  for (const template of ['own', 'hostfactory']) {
    test(`three machines are asked for, come up, and one of them goes back: template of the form '${template}' (${scheduler})`, async (t) => {
      const stage = await open(dialect);
      t.teardown(() => stage.close());

      const request_id = await stage.request(template, 3);
      const ended = await stage.ended(request_id);
      t.is(ended.status, dialect.completed);
      t.is(running(ended).length, 3);
      if (scheduler === 'hostfactory')
        t.deepEqual(
          ended.machines.map(({ result }) => result),
          ['succeed', 'succeed', 'succeed'],
        );

      const [first, ...others] = running(ended) as [string, ...string[]];
      const returned = await stage.ended(await stage.giveBack([first]));
      t.is(returned.status, dialect.completed);
      t.deepEqual(
        returned.machines.map(({ machine_id, status }) => [machine_id, status]),
        [[first, 'terminated']],
      );

      const after = await stage.seen(request_id);
      t.is(after.status, dialect.completed, 'what was delivered stays delivered');
      t.is(after.machines.find(({ machine_id }) => machine_id === first)?.status, 'terminated');
      t.deepEqual(running(after), others);

      const again = await stage.ended(await stage.giveBack([first]));
      t.is(again.status, dialect.completed, 'a machine that is gone already is no error');
      t.deepEqual(running(await stage.seen(request_id)), others);
      t.deepEqual((await stage.cloud.ledger()).live[request_id]?.toSorted(), others);
    });
  }

  test(`the same Idempotency-Key twice is one request (${scheduler})`, async (t) => {
    const stage = await open(dialect);
    t.teardown(() => stage.close());
    const headers = { 'idempotency-key': 'night-run-17' };
    const ids = await Promise.all([stage.request('own', 2, headers), stage.request('own', 2, headers)]);
    const later = await stage.request('own', 2, headers);
    t.deepEqual(new Set([...ids, later]).size, 1);
    await stage.ended(later);
    t.deepEqual(Object.values((await stage.cloud.ledger()).launches), [2]);
  });

  test(`a kill -9 in the middle changes nothing about the end (${scheduler})`, async (t) => {
    const stage = await open(dialect);
    t.teardown(() => stage.close());
    const ids = await Promise.all([stage.request('own', 3), stage.request('hostfactory', 3)]);
    await until('machines start', async () => Object.keys((await stage.cloud.ledger()).live).length > 0, {
      every_ms: 5,
    });
    await stage.kill();
    await stage.start();
    for (const request_id of ids) {
      const ended = await stage.ended(request_id);
      t.is(ended.status, dialect.completed);
      t.is(running(ended).length, 3);
      t.deepEqual((await stage.cloud.ledger()).live[request_id]?.toSorted(), running(ended));
    }
    t.deepEqual((await stage.cloud.ledger()).untagged, []);
  });
}
