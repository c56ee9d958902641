import type { Story } from '../story.ts';

/** What Spot does not give is had on demand. */
export const otherMarket: Story = {
  name: 'other-market',
  fits: ({ price }) => price === 'mixed',
  machines: () => 6,
  rules: ({ types }) => ({ capacity: types.map((instance_type) => ({ instance_type, market: 'spot', count: 1 })) }),
  play: async (cast) => void (await cast.ended()),
};
