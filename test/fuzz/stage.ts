import { bootBroker, testTemplates, type BootedBroker } from '../support/boot-broker.ts';
import { bases } from './bases.ts';
import { play } from './play.ts';
import { callOf } from './recipe.ts';

const requests = 60;

/**
 * A broker with something in every list, in this thread and carrying nothing out, that has answered each kind of call
 * before: what is loaded is loaded.
 */
export async function openStage(): Promise<BootedBroker> {
  const templates = [
    ...testTemplates,
    ...Array.from({ length: 20 }, (_, i) => ({
      ...testTemplates[0],
      template_id: `large-${i}`,
      description: 'x'.repeat(100_000),
    })),
  ];
  const stage = await bootBroker({ loop: 'none', templates });
  for (let i = 0; i < requests; i++) {
    const body = { template_id: 'fleet', machine_count: 1, additional_data: { note: 'x'.repeat(250_000) } };
    const { status } = await stage.call('POST', '/machines/request', body);
    if (status !== 200) throw new Error(`A request was answered ${status}.`);
  }
  for (let i = 0; i < 3; i++)
    for (const base of Object.keys(bases)) await play(stage.app, callOf({ base, steps: [] }));
  return stage;
}
