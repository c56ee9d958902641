import type { Story } from '../story.ts';
import { marketsOf } from '../ways.ts';

/** There is less than was asked for, wherever it is looked for: one machine of each type in each zone and market. */
export const partial: Story = {
  name: 'partial',
  machines: (way) => 4 * marketsOf(way).length + 2,
  rules: ({ types }) => ({ capacity: types.map((instance_type) => ({ instance_type, count: 1 })) }),
  play: async (cast) => void (await cast.ended()),
};
