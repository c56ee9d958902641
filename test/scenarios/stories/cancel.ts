import { isTerminal } from '../../../core/model/request.ts';
import type { Story } from '../story.ts';

/** It is cancelled while its machines come up: they hang, so that it cannot have ended before. */
export const cancel: Story = {
  name: 'cancel',
  machines: () => 4,
  rules: ({ types }) => ({ stuck: types.map((instance_type) => ({ instance_type, times: null })) }),
  async play(cast) {
    await cast.until(
      'machines of it come',
      async () => isTerminal(cast.request().status) || (await cast.machines()).length > 0,
    );
    await cast.cancel();
    await cast.ended();
  },
  least: () => 0,
  judge({ request: { status, cancel_requested_at }, live }) {
    return [
      ...(live.length > 0 ? [`${live.join()} live, and it was cancelled`] : []),
      ...(cancel_requested_at !== undefined && status !== 'cancelled' ? [`it was cancelled, and is ${status}`] : []),
    ];
  },
};
