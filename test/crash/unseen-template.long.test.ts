import { defaultDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import type { Stage } from './support/stage.ts';

const unseenMs = 3_600_000;
const machine_count = 4;

/** Waits for the next launch that reached the cloud. */
async function nextLaunch(stage: Stage): Promise<void> {
  const { next } = await stage.cloud.audit();
  await stage.cloud.met(({ action }) => action === 'CreateFleet', next);
}

for (const unseen_replay of ['repeat', 'execute'] as const) {
  const reading = unseen_replay === 'repeat' ? 'repeats the error' : 'is executed';
  const knobs = { visible_ms: { version: unseenMs } as never, tokens: { unseen_replay } as never };

  for (const phase of ['before', 'after'] as const) {
    scenario(`killed ${phase} each commit around a launch template that is not visible; a replay ${reading}`, {
      dialect: defaultDialect,
      knobs,
      async play(stage) {
        const request_id = await stage.request('fleet', machine_count);
        // Each launch of these lives is refused.
        await stage.cloud.met(({ action }) => action === 'CreateFleet');
        for (let nth = 2; nth <= 5; nth++) {
          await stage.kill();
          await stage.start({ commit: { at: 'commit', nth, thread: 'loop', phase } });
          await stage.died();
        }
        await stage.start();
        await nextLaunch(stage);
        await stage.kill();
        // Now launches succeed.
        await stage.cloud.advance(unseenMs);
        for (let nth = 2; nth <= 5; nth++) {
          await stage.start({ commit: { at: 'commit', nth, thread: 'loop', phase } });
          await stage.died();
        }
        await stage.start();
        return [{ request_id, machine_count }];
      },
    });
  }

  scenario(`killed while the first launch succeeds after two that did not see the template; a replay ${reading}`, {
    dialect: defaultDialect,
    knobs,
    async play(stage) {
      const request_id = await stage.request('fleet', machine_count);
      await stage.cloud.met(({ action }) => action === 'CreateFleet');
      await nextLaunch(stage);
      await stage.cloud.turn({ latency_ms: { CreateFleet: 1_500 } });
      await stage.cloud.advance(unseenMs);
      await nextLaunch(stage);
      await stage.kill();
      // The machines are not visible by their tags yet, so that only the token can show them.
      await stage.cloud.turn({ latency_ms: {}, visible_ms: { tag: 3_000 } as never });
      await stage.start();
      return [{ request_id, machine_count }];
    },
  });
}
