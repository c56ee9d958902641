import { readied } from '../outcome.ts';
import type { Story } from '../story.ts';
import { marketsOf } from '../ways.ts';

/** It keeps asking for what there is not, until its time is over; what there is stays. */
export const timeOutShort: Story = {
  name: 'time-out-short',
  machines: (way) => 4 * marketsOf(way).length + 1,
  template: () => ({ retry_until_timeout: true, timeout: 300 }),
  rules: ({ types }) => ({ capacity: types.map((instance_type) => ({ instance_type, count: 1 })) }),
  play: async (cast) => void (await cast.ended()),
  least: ({ setting, places }) => (setting.timely ? places : 0),
  judge({ request, ...outcome }) {
    const late = (request.completed_at ?? Infinity) < request.deadline_at;
    const short = readied({ request, ...outcome }).length < request.machine_count;
    const told = request.fulfilment?.shortfall.some(({ code }) => code === 'TIMEOUT');
    return [
      ...(late && short && outcome.setting.whole ? ['it ended before its time was over'] : []),
      ...(!late && short && !told ? ['it does not say that its time was over'] : []),
    ];
  },
};
