import { isReady } from '../../../core/reconciler/state/machine-life.ts';
import type { Story } from '../story.ts';

/** Some machines are given back; the others stay, and none comes instead. */
export const returnPart: Story = {
  name: 'return-part',
  machines: () => 5,
  async play(cast) {
    await cast.ended();
    const ready = (await cast.machines()).filter(isReady);
    await cast.giveBack(ready.slice(0, Math.ceil(ready.length / 2) - 1));
  },
  judge({ machines, live }) {
    const returned = machines.filter(
      (machine) => machine.return_id !== undefined && live.includes(machine.machine_id),
    );
    return returned.map(({ machine_id }) => `${machine_id} was given back and lives`);
  },
};
