import { defaultDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';

const unseenMs = 3_600_000;

for (const unseen_replay of ['repeat', 'execute'] as const) {
  const reading = unseen_replay === 'repeat' ? 'repeats the error' : 'is executed';
  for (const phase of ['before', 'after'] as const) {
    scenario(`killed ${phase} each commit around a launch template that is not visible; a replay ${reading}`, {
      dialect: defaultDialect,
      knobs: { visible_ms: { version: unseenMs } as never, tokens: { unseen_replay } as never },
      async play(stage) {
        const request_id = await stage.request('fleet', 4);
        // Each launch of these lives is refused.
        const fleets = async () =>
          (await stage.cloud.audit()).entries.filter(({ action }) => action === 'CreateFleet').length;
        await stage.cloud.met(({ action }) => action === 'CreateFleet');
        for (let nth = 2; nth <= 5; nth++) {
          await stage.kill();
          await stage.start({ commit: { at: 'commit', nth, thread: 'loop', phase } });
          await stage.died();
        }
        await stage.start();
        const before = await fleets();
        await stage.cloud.met(({ action, n }) => action === 'CreateFleet' && n > before);
        await stage.kill();
        // Now launches succeed.
        await stage.cloud.advance(unseenMs);
        for (let nth = 2; nth <= 5; nth++) {
          await stage.start({ commit: { at: 'commit', nth, thread: 'loop', phase } });
          await stage.died();
        }
        await stage.start();
        return [{ request_id, machine_count: 4 }];
      },
    });
  }
}
