import { isReady } from '../../../core/reconciler/state/machine-life.ts';
import type { Story } from '../story.ts';

/** All machines are given back, some before the others; nothing is left of them. */
export const returnAll: Story = {
  name: 'return-all',
  machines: () => 4,
  async play(cast) {
    await cast.ended();
    const [first, ...others] = (await cast.machines()).filter(isReady);
    if (first) await cast.giveBack([first]);
    await cast.giveBack(others);
  },
  judge: ({ live }) => (live.length === 0 ? [] : [`${live.join()} live, and all was given back`]),
};
