import type { ServiceCheck } from '../../../core/index.ts';
import { controllerOf } from '../controller/controller.ts';
import type { SlurmSettings } from '../settings.ts';
import { reviewConf } from './review-conf.ts';

/** Whether slurmctld answers, and its slurm.conf fits to the configuration. */
export const slurmConfCheck: ServiceCheck<SlurmSettings> = {
  name: 'slurm.conf',
  why: 'slurmctld calls muster for machines, and gives up a node that is late.',
  remedy: 'Start slurmctld, and give the server its scontrol: slurm.bin and slurm.conf of the configuration.',
  async run(settings) {
    const controller = controllerOf(settings);
    const [config, nodes] = await Promise.all([controller.config(), controller.nodes()]);
    return reviewConf({ config, nodes }, settings);
  },
};
