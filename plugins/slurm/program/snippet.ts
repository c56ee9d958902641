import { readHostlist } from '../hostlist/read-hostlist.ts';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import type { SlurmSettings } from '../settings.ts';

/** The lines for slurm.conf. What describes the machines has to be adapted: muster does not guess it. */
export function snippet({ node_sets, request_timeout, sync_s }: SlurmSettings, directory: string): string {
  const resume_timeout = Math.max(900, request_timeout + 300);
  const nodes = node_sets.map(({ nodes: names, template, weight }, index) => {
    const weighed = ` Weight=${weight ?? (index + 1) * 10}`;
    return `NodeName=${writeHostlist(readHostlist(names))} CPUs=2 RealMemory=3600 Feature=${feature(template)}${weighed} State=CLOUD`;
  });
  const features = [...new Set(node_sets.map(({ template }) => feature(template)))];
  return `${[
    `ResumeProgram=${directory}/resume`,
    `SuspendProgram=${directory}/suspend`,
    `ResumeFailProgram=${directory}/resume-fail`,
    '# Above the time-out of requests and the boot of a machine.',
    `ResumeTimeout=${resume_timeout}`,
    '# Above two comparisons, and the end of a machine.',
    `SuspendTimeout=${Math.max(120, 2 * sync_s + 60)}`,
    'SuspendTime=300',
    'SlurmdTimeout=120',
    'ResumeRate=0',
    'SuspendRate=0',
    '# A machine that comes back late is used, and its address is that from which it registers.',
    'ReturnToService=2',
    'SlurmctldParameters=idle_on_node_suspend,cloud_reg_addrs',
    '# Nodes that are off are shown, too.',
    'PrivateData=cloud',
    '# CPUs, Gres: of the smallest machine type of the template; RealMemory: 95 % of its memory, in MiB.',
    ...nodes,
    ...features.map((name) => `NodeSet=${name} Feature=${name}`),
    `PartitionName=cloud Nodes=${features.join(',')} MaxTime=INFINITE State=UP`,
  ].join('\n')}\n`;
}

const feature = (template: string): string => template.replaceAll(/[^A-Za-z0-9_]/g, '_');
