import type { Story } from '../story.ts';

/** The first provider instance has a few machines; the second, in another region, has the rest. */
export const otherRegion: Story = {
  name: 'other-region',
  regions: ['us-east-1', 'us-west-2'],
  machines: () => 6,
  rules: ({ types: [first, second] }) => ({
    capacity: [
      { region: 'us-east-1', instance_type: first, count: 0 },
      { region: 'us-east-1', instance_type: second, count: 1 },
    ],
  }),
  play: async (cast) => void (await cast.ended()),
};
