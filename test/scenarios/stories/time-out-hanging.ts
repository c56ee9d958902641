import { isReady, isStaying } from '../../../core/reconciler/state/machine-life.ts';
import type { Story } from '../story.ts';

/** Two machines never come up, and its time ends before they are given up; those that did come up stay. */
export const timeOutHanging: Story = {
  name: 'time-out-hanging',
  machines: () => 5,
  template: ({ types: [only] }) => ({ machine_types: { [only]: 1 }, timeout: 120 }),
  rules: ({ types: [instance_type] }) => ({ stuck: [{ instance_type, times: 2 }] }),
  play: async (cast) => void (await cast.ended()),
  least: ({ setting, places, request }) => (setting.timely ? Math.min(request.machine_count, places) - 2 : 0),
  judge({ request, machines, setting, started, places }) {
    const hung = started.filter(({ runningAt }) => runningAt === Infinity).length;
    return [
      // Where its time ended before the cloud took the first order, none was there to hang.
      ...(setting.whole && hung < Math.min(2, places, started.length) ? [`only ${hung} machines hung`] : []),
      ...machines
        .filter((machine) => isStaying(machine) && !isReady(machine))
        .map(({ machine_id }) => `${machine_id} was never ready, and is kept after the end (${request.status})`),
    ];
  },
};
