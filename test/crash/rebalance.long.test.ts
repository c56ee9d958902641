import type { Attack } from './campaign/kill-point.ts';
import type { AuditEntry, KnobChange } from './support/cloud.ts';
import type { Expected } from './support/compare.ts';
import { defaultDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import type { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

const config = { interruption_queue: { url: 'https://sqs.us-east-1.amazonaws.com/000000000000/events' } };
const queues: KnobChange = { queues: { names: ['events'] } };
/** Until then a message that a broker received and did not delete is hidden from the next one. */
const hiddenMs = 31_000;

type Shown = { readonly machine_id: string; readonly status: string; readonly replaced_by?: string };

const shown = async (stage: Stage, id: string): Promise<readonly Shown[]> =>
  (await stage.call('GET', `/requests/${id}/status`)).body.machines;

/** A request of three machines. Returns the first of them. */
async function requested(stage: Stage, template: string): Promise<{ readonly id: string; readonly victim: string }> {
  const id = await stage.request(template, 3);
  const { machines } = await stage.ended(id);
  return { id, victim: machines[0]?.machine_id ?? '' };
}

const recommend = (stage: Stage, victim: string): Promise<void> =>
  stage.cloud.turn({ rebalance: [{ instance_ids: [victim] }] });

/** Waits for the end of the replaced machine, and says what must have come of the request. */
async function replaced(stage: Stage, id: string, victim: string): Promise<readonly Expected[]> {
  await stage.cloud.advance(hiddenMs);
  await until(`${victim} is replaced and ends`, async () => {
    const old = (await shown(stage, id)).find(({ machine_id }) => machine_id === victim);
    return old?.replaced_by !== undefined && old.status === 'terminated';
  });
  return [{ request_id: id, machine_count: 3, replaced: 1 }];
}

interface Moment {
  readonly title: string;
  readonly template: 'spot-run' | 'spot-fleet';
  readonly knobs?: KnobChange;
  /** Resolves when the time to kill has come. */
  come(stage: Stage, since: number, id: string): Promise<unknown>;
}

const met = (which: (entry: AuditEntry) => boolean) => (stage: Stage, since: number) => stage.cloud.met(which, since);

const moments: readonly Moment[] = [
  {
    title: 'killed as soon as the recommendation was received',
    template: 'spot-run',
    come: met(({ action, answered }) => action === 'DeleteMessageBatch' && answered),
  },
  {
    title: 'killed after the replacement was launched and before the answer',
    template: 'spot-run',
    knobs: { latency_ms: { RunInstances: 800 } },
    come: met(({ action }) => action === 'RunInstances'),
  },
  {
    title: 'killed after the fleet of the replacement was made and before the answer',
    template: 'spot-fleet',
    knobs: { latency_ms: { CreateFleet: 800 } },
    come: met(({ action }) => action === 'CreateFleet'),
  },
  {
    title: 'killed while the replaced machine is emptied',
    template: 'spot-run',
    come: (stage, _since, id) =>
      until('the replacement takes over', async () =>
        (await shown(stage, id)).some(({ replaced_by }) => replaced_by !== undefined),
      ),
  },
  {
    title: 'killed while the replaced machine is terminated',
    template: 'spot-run',
    knobs: { latency_ms: { TerminateInstances: 800 } },
    come: met(({ action }) => action === 'TerminateInstances'),
  },
  {
    title: 'killed between the smaller target of its fleet and the end of the replaced machine',
    template: 'spot-fleet',
    knobs: { latency_ms: { TerminateInstances: 800 } },
    come: met(({ action }) => action === 'ModifyFleet'),
  },
];

for (const { title, template, knobs = {}, come } of moments)
  scenario(title, {
    dialect: defaultDialect,
    config,
    knobs: queues,
    async play(stage) {
      const { id, victim } = await requested(stage, template);
      await stage.cloud.turn(knobs);
      const { next } = await stage.cloud.audit();
      await recommend(stage, victim);
      await come(stage, next, id);
      await stage.kill();
      await stage.start();
      return replaced(stage, id, victim);
    },
  });

/** The loop is killed at its n-th commit after it finds the recommendation in the queue. */
const commits = [1, 2, 3, 4, 5, 6, 7, 8];
for (const nth of commits)
  for (const phase of ['before', 'after'] as const) {
    const attack: Attack = { commit: { at: 'commit', nth, thread: 'loop', phase } };
    scenario(`killed ${phase} commit ${nth} of a loop that finds a recommendation`, {
      dialect: defaultDialect,
      config,
      knobs: queues,
      async play(stage) {
        const { id, victim } = await requested(stage, 'spot-run');
        await stage.kill();
        await recommend(stage, victim);
        await stage.cloud.advance(hiddenMs);
        await stage.start(attack);
        await stage.died();
        await stage.start();
        return replaced(stage, id, victim);
      },
    });
  }
