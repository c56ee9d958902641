import type { AuditEntry, KnobChange } from './support/cloud.ts';
import { defaultDialect, hostfactoryDialect, type Dialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import type { Stage } from './support/stage.ts';
import { launchActions, type TemplateName } from './support/templates.ts';

interface Moment {
  readonly title: string;
  readonly template: TemplateName;
  readonly dialect: Dialect;
  readonly knobs?: KnobChange;
  /** Resolves when the time to kill has come. */
  come(stage: Stage, action: string): Promise<unknown>;
}

const met = (which: (entry: AuditEntry, action: string) => boolean) => (stage: Stage, action: string) =>
  stage.cloud.met((entry) => which(entry, action));

const launched = met((entry, action) => entry.action === action);
const answered = met((entry, action) => entry.action === action && entry.answered);

const moments: readonly Moment[] = [
  {
    title: 'killed as soon as the request was answered, before anything was sent',
    template: 'fleet',
    dialect: defaultDialect,
    come: async () => undefined,
  },
  {
    title: 'killed while the launch template is made',
    template: 'fleet',
    dialect: hostfactoryDialect,
    knobs: { latency_ms: { CreateLaunchTemplate: 500 } },
    come: met(({ action }) => action === 'CreateLaunchTemplate'),
  },
  {
    title: 'killed while CreateFleet is on its way and was not carried out',
    template: 'fleet',
    dialect: defaultDialect,
    knobs: { faults: [{ action: 'CreateFleet', effect: 'skip', then: 'hang' }] },
    come: launched,
  },
  {
    title: 'killed after CreateFleet was carried out and before its answer',
    template: 'fleet',
    dialect: hostfactoryDialect,
    knobs: { latency_ms: { CreateFleet: 800 } },
    come: launched,
  },
  {
    title: 'killed after RunInstances was carried out and before its answer',
    template: 'run',
    dialect: defaultDialect,
    knobs: { latency_ms: { RunInstances: 800 } },
    come: launched,
  },
  { title: 'killed just after the answer to CreateFleet', template: 'fleet', dialect: defaultDialect, come: answered },
  {
    title: 'killed just after the answer to RunInstances',
    template: 'run',
    dialect: hostfactoryDialect,
    come: answered,
  },
  {
    title: 'killed between two looks at machines that boot',
    template: 'run',
    dialect: defaultDialect,
    knobs: { boot_ms: 2500 },
    come: met(({ action, answered: whole }) => action === 'DescribeInstances' && whole),
  },
];

for (const { title, template, dialect, knobs, come } of moments) {
  scenario(title, {
    dialect,
    ...(knobs ? { knobs } : {}),
    async play(stage) {
      const request_id = await stage.request(template, 5);
      await come(stage, launchActions[template]);
      await stage.kill();
      await stage.start();
      return [{ request_id, machine_count: 5 }];
    },
  });
}

scenario('killed twice, the second time while the order is sent again', {
  dialect: defaultDialect,
  knobs: { latency_ms: { RunInstances: 600, CreateFleet: 600 } },
  async play(stage) {
    const ids = [await stage.request('run', 4), await stage.request('fleet', 4)];
    for (let kills = 0; kills < 2; kills++) {
      const { next } = await stage.cloud.audit();
      await stage.cloud.met(
        ({ action }) => action === 'RunInstances' || action === 'CreateFleet',
        kills === 0 ? 0 : next,
      );
      await stage.kill();
      await stage.start();
    }
    return ids.map((request_id) => ({ request_id, machine_count: 4 }));
  },
});

scenario('killed in the middle of many requests; callers repeat theirs under the same Idempotency-Key', {
  dialect: hostfactoryDialect,
  knobs: { boot_ms: 1000 },
  async play(stage) {
    const ask = (i: number) => stage.request(i % 2 === 0 ? 'run' : 'fleet', 3, { 'idempotency-key': `call-${i}` });
    const calls = Array.from({ length: 40 }, (_, i) => i);
    // Calls that were under way when it was killed have no answer; those that have one count.
    const first = Promise.allSettled(calls.map(ask));
    await stage.cloud.met(({ action }) => action === 'RunInstances');
    await stage.kill();
    const answered = await first;
    await stage.start();
    const again = await Promise.all(calls.map(ask));
    for (const [i, each] of answered.entries()) {
      if (each.status === 'fulfilled' && each.value !== again[i])
        throw new Error(`call-${i} made ${each.value}, and again ${again[i]}`);
    }
    if (new Set(again).size !== calls.length)
      throw new Error(`${calls.length} keys made ${new Set(again).size} requests`);
    const { body } = await stage.call('GET', '/requests/?limit=1000');
    if (body.requests.length !== calls.length)
      throw new Error(`${calls.length} keys stored ${body.requests.length} requests`);
    return again.map((request_id) => ({ request_id, machine_count: 3 }));
  },
});
