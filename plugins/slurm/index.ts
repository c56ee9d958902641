import { definePlugin, defineService } from '../../core/index.ts';
import { slurmConfCheck } from './check/slurm-conf-check.ts';
import { install } from './operations/install.ts';
import { status, syncNow } from './operations/compare.ts';
import { resume } from './operations/resume.ts';
import { resumeFail, suspend } from './operations/suspend.ts';
import { reviewSettings, SlurmSettings } from './settings.ts';
import { syncJob } from './sync/job.ts';

export { readHostlist } from './hostlist/read-hostlist.ts';
export { writeHostlist } from './hostlist/write-hostlist.ts';

/** Machines for the nodes of a Slurm cluster. */
export const slurm = defineService({
  name: 'slurm',
  summary: 'Machines for the nodes of a Slurm cluster.',
  settings: SlurmSettings,
  review: reviewSettings,
  operations: [install, resume, suspend, resumeFail, syncNow, status],
  jobs: [syncJob],
  checks: [slurmConfCheck],
});

export default definePlugin({ name: 'slurm', contract: 1, services: [slurm] });
