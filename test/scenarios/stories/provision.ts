import type { Story } from '../story.ts';

/** There is enough of everything. */
export const provision: Story = {
  name: 'provision',
  machines: () => 4,
  play: async (cast) => void (await cast.ended()),
};
