import { answers, type Reclaimed, type View } from '../../core/index.ts';

/** Machines that the cloud takes, or took, back by itself. */
export const reclaims: View<readonly Reclaimed[]> = {
  schema: answers.reclaims,
  render: (machines) => ({
    machines: machines.map(({ machine_id, name, reason, grace_period_s }) => ({ machine_id, name: name ?? null, reason, grace_period_s })),
  }),
};
