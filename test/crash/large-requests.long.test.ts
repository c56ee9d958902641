import { defaultDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import type { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

/** Longer than any of these tests: machines come up when the clock of the cloud is moved by it. */
const boot_ms = 600_000;
const afterFirstPart = { part: { at: 'part', nth: 1, phase: 'after' } } as const;

/** Asks for machines, and waits until the broker knows all of them: they are coming up. */
async function comingUp(
  stage: Stage,
  template: string,
  count: number,
): Promise<{ request_id: string; machine_ids: readonly string[] }> {
  const request_id = await stage.request(template, count);
  const machines = await until(`${count} machines are known`, async () => {
    const { machines: known } = await stage.seen(request_id);
    return known.length === count && known;
  });
  return { request_id, machine_ids: machines.map(({ machine_id }) => machine_id) };
}

async function boot(stage: Stage): Promise<void> {
  // What is started from now on comes up at once.
  await stage.cloud.turn({ boot_ms: 300 });
  await stage.cloud.advance(boot_ms);
}

for (const template of ['run', 'fleet']) {
  scenario(`killed after the first part of a return of 300 of 400 machines that come up: ${template}`, {
    dialect: defaultDialect,
    knobs: { boot_ms },
    async play(stage) {
      const { request_id, machine_ids } = await comingUp(stage, template, 400);
      await stage.kill();
      await stage.start(afterFirstPart);
      const returned = machine_ids.slice(0, 300);
      const key = { 'idempotency-key': 'return' };
      // It may die before it answers.
      const first = stage.giveBack(returned, key).catch(() => undefined);
      await stage.died();
      await first;
      await stage.start();
      await stage.giveBack(returned, key);
      await boot(stage);
      return [{ request_id, machine_count: 400, returned }];
    },
  });
}

scenario('killed after the first part of a look that sees all of 198 machines ready', {
  dialect: defaultDialect,
  knobs: { boot_ms },
  async play(stage) {
    const { request_id } = await comingUp(stage, 'fleet', 198);
    await stage.kill();
    await stage.start(afterFirstPart);
    await boot(stage);
    await stage.died();
    await stage.start();
    return [{ request_id, machine_count: 198 }];
  },
});

scenario('killed after the first part of a cancel of 400 machines that come up', {
  dialect: defaultDialect,
  knobs: { boot_ms },
  async play(stage) {
    const { request_id } = await comingUp(stage, 'fleet', 400);
    await stage.kill();
    await stage.start(afterFirstPart);
    const first = stage.call('DELETE', `/requests/${request_id}`).catch(() => undefined);
    await stage.died();
    await first;
    await stage.start();
    return [{ request_id, machine_count: 400, cancelled: true }];
  },
});
