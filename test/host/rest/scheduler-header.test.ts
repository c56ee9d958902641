import test, { type ExecutionContext } from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

const formats = ['default', 'hostfactory'] as const;
type Format = (typeof formats)[number];

async function booted(t: ExecutionContext, scheduler: Format): Promise<BootedBroker> {
  const broker = await bootBroker({ scheduler, storage: 'memory' });
  t.teardown(() => broker.close());
  return broker;
}

const idOf = (body: any): string => body.request_id ?? body.requestId;

/** A request that has its machines. */
async function delivered(
  broker: BootedBroker,
): Promise<{ readonly request_id: string; readonly machine_ids: readonly string[] }> {
  const { body } = await broker.call(
    'POST',
    '/machines/request',
    { template_id: 'small', machine_count: 3 },
    { 'x-scheduler': 'default' },
  );
  const { machines } = await broker.until(async () => {
    const status = (await broker.call('GET', `/requests/${body.request_id}`, undefined, { 'x-scheduler': 'default' }))
      .body;
    return status.status === 'completed' && status;
  });
  return { request_id: body.request_id, machine_ids: machines.map((each: { machine_id: string }) => each.machine_id) };
}

/** What tells the two formats apart, in each answer that depends on the scheduler. */
const told: Readonly<
  Record<Format, { readonly id: string; readonly status: RegExp; readonly machines: (body: any) => boolean }>
> = {
  default: {
    id: 'request_id',
    status: /^(completed|pending)$/,
    machines: (body) => Array.isArray(body.machines) && !('requests' in body),
  },
  hostfactory: {
    id: 'requestId',
    status: /^(complete|running)$/,
    machines: (body) => body.requests[0].machines[0].machineId.startsWith('i-'),
  },
};

for (const scheduler of formats) {
  for (const header of ['x-scheduler', 'X-ORB-Scheduler'])
    test(`${header} chooses the format of one call at a server of ${scheduler}`, async (t) => {
      const broker = await booted(t, scheduler);
      const { request_id, machine_ids } = await delivered(broker);
      // Twice around: an answer that was kept in one format must not be given in the other.
      for (const [round, format] of [...formats, ...formats].entries()) {
        const { id, status, machines } = told[format];
        const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
          broker.call(method, path, body, { [header]: format });
        for (const path of [`/requests/${request_id}`, `/requests/${request_id}/status`])
          t.true(machines((await call('GET', path)).body), `${format} ${path}`);
        const { requests } = (await call('GET', '/requests/')).body;
        t.true(id in requests[0], `${format}: the list`);
        t.true(Array.isArray((await call('GET', '/requests/return')).body.requests));
        const asked = await call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
        t.true(id in asked.body, `${format}: a request`);
        t.regex(asked.body.status, status);
        t.regex((await call('POST', '/requests/', { template_id: 'small', machine_count: 1 })).body.status, status);
        const cancelled = (await call('DELETE', `/requests/${idOf(asked.body)}`)).body;
        t.true(id in (format === 'default' ? cancelled : cancelled.requests[0]), `${format}: a cancel`);
        t.true(
          id in (await call('POST', '/machines/return', { machine_ids: [machine_ids[round % 2]] })).body,
          `${format}: a return`,
        );
        const reclaimed = (await call('POST', '/machines/reclaimed', { machine_ids })).body;
        t.true((format === 'default' ? 'machines' : 'requests') in reclaimed, `${format}: what the cloud takes back`);
      }
    });
}

test('without the header an answer is in the format of the server, also after others asked otherwise', async (t) => {
  const broker = await booted(t, 'hostfactory');
  const { request_id } = await delivered(broker);
  await broker.call('GET', '/requests/', undefined, { 'x-scheduler': 'default' });
  t.true('requestId' in (await broker.call('GET', '/requests/')).body.requests[0]);
  t.true(told.hostfactory.machines((await broker.call('GET', `/requests/${request_id}`)).body));
});

test('an unknown format is refused with the known ones, and nothing is done', async (t) => {
  const broker = await booted(t, 'default');
  for (const header of ['x-scheduler', 'x-orb-scheduler'])
    for (const [method, path, body] of [
      ['POST', '/machines/request', { template_id: 'small', machine_count: 1 }],
      ['POST', '/requests/', { template_id: 'small', machine_count: 1 }],
      ['GET', '/requests/'],
    ] as const) {
      const answer = await broker.call(method, path, body, { [header]: 'hostfactoy' });
      t.is(answer.status, 400, path);
      const message = answer.body.detail ?? answer.body.error.message;
      t.regex(
        message,
        new RegExp(`^${header}: .*'hostfactoy'.*did you mean 'hostfactory'.*default, hostfactory, lsf`, 'i'),
      );
    }
  t.is(await broker.broker.store.count('request', {}), 0);
});

test('two headers that name two formats are refused', async (t) => {
  const broker = await booted(t, 'default');
  const both = { 'x-scheduler': 'default', 'x-orb-scheduler': 'hostfactory' };
  t.is((await broker.call('GET', '/requests/', undefined, both)).status, 400);
  t.is((await broker.call('GET', '/requests/', undefined, { ...both, 'x-orb-scheduler': 'default' })).status, 200);
});

test('an answer that depends on the header says so to caches', async (t) => {
  const broker = await booted(t, 'default');
  t.is((await broker.call('GET', '/requests/')).headers['vary'], 'X-Scheduler, X-ORB-Scheduler');
  t.is((await broker.call('GET', '/templates/')).headers['vary'], undefined);
});

test('muster’s own words are known where no plugin brings them', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    scheduler: 'hostfactory',
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'hostfactory-format', 'storage-memory'],
    },
  });
  t.teardown(() => broker.close());
  const { body } = await broker.call('GET', '/requests/', undefined, { 'x-scheduler': 'default' });
  t.is(body.total_count, 0);
});

test('the document declares the header at every route whose answer depends on it, and at no other', async (t) => {
  const broker = await booted(t, 'default');
  const document = (await broker.app.inject('/openapi.json')).json();
  t.deepEqual(document.components.parameters['X-Scheduler'].schema.enum, ['default', 'hostfactory', 'lsf']);
  const having = Object.entries(document.paths as Record<string, Record<string, any>>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters }]) =>
      parameters.some(({ $ref }: { $ref?: string }) => $ref === '#/components/parameters/X-Scheduler')
        ? [`${method} ${path}`]
        : [],
    ),
  );
  t.deepEqual(having.toSorted(), [
    'delete /api/v1/requests/{request_id}',
    'get /api/v1/requests/',
    'get /api/v1/requests/return',
    'get /api/v1/requests/{request_id}',
    'get /api/v1/requests/{request_id}/status',
    'get /api/v1/requests/{request_id}/stream',
    'post /api/v1/machines/reclaimed',
    'post /api/v1/machines/request',
    'post /api/v1/machines/return',
    'post /api/v1/requests/',
    'post /api/v1/requests/status',
  ]);
});
