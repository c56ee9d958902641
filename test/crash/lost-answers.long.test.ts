import { defaultDialect, hostfactoryDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import { launchActions } from './support/templates.ts';

const thens = ['drop', 'cut', 'error', 'html', 'bad-xml'] as const;

for (const [index, then] of thens.entries()) {
  scenario(`a launch that was carried out and answered with '${then}' starts nothing twice`, {
    dialect: index % 2 === 0 ? defaultDialect : hostfactoryDialect,
    knobs: {
      faults: Object.values(launchActions).map((action) => ({ action, times: 2, effect: 'execute', then }) as const),
    },
    async play(stage) {
      const ids = await Promise.all([stage.request('run', 3), stage.request('fleet', 3)]);
      return ids.map((request_id) => ({ request_id, machine_count: 3 }));
    },
  });
}

scenario('killed while the answer to a launch that was carried out does not come', {
  dialect: defaultDialect,
  knobs: {
    faults: Object.values(launchActions).map((action) => ({ action, effect: 'execute', then: 'hang' }) as const),
  },
  async play(stage) {
    const ids = await Promise.all([stage.request('run', 3), stage.request('fleet', 3)]);
    await Promise.all(Object.values(launchActions).map((name) => stage.cloud.met(({ action }) => action === name)));
    await stage.kill();
    await stage.start();
    return ids.map((request_id) => ({ request_id, machine_count: 3 }));
  },
});

scenario('queries that are never answered lose no machines', {
  dialect: hostfactoryDialect,
  config: { cloud_read_timeout: 1, cloud_max_retries: 0 },
  knobs: { faults: [{ action: 'DescribeInstances', nth: 2, times: 2, effect: 'execute', then: 'hang' }] },
  async play(stage) {
    const ids = await Promise.all([stage.request('run', 3), stage.request('fleet', 3)]);
    return ids.map((request_id) => ({ request_id, machine_count: 3 }));
  },
});

scenario('a termination whose answer is lost is repeated and ends no other machine', {
  dialect: defaultDialect,
  config: { cloud_read_timeout: 1 },
  knobs: {
    faults: [
      { action: 'TerminateInstances', effect: 'execute', then: 'hang' },
      { action: 'TerminateInstances', nth: 2, effect: 'skip', then: 'drop' },
    ],
  },
  async play(stage) {
    const request_id = await stage.request('fleet', 4);
    const { machines } = await stage.ended(request_id);
    const returned = machines.slice(0, 2).map(({ machine_id }) => machine_id);
    await stage.ended(await stage.giveBack(returned));
    return [{ request_id, machine_count: 4, returned }];
  },
});
