import type { Story } from '../story.ts';

/** The first machine type lacks; the second has the rest. */
export const otherType: Story = {
  name: 'other-type',
  machines: () => 5,
  rules: ({ types: [instance_type] }) => ({ capacity: [{ instance_type, count: 1 }] }),
  play: async (cast) => void (await cast.ended()),
};
