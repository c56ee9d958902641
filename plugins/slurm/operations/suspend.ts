import { Type, type Static } from 'typebox';
import { isBrokerError, serviceOperation, type ServiceAccess } from '../../../core/index.ts';
import { controllerOf } from '../controller/controller.ts';
import { isAllocated, isPoweredDown } from '../controller/parse-nodes.ts';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import { readCluster } from '../nodes/records.ts';
import { releaseNow } from '../nodes/release-now.ts';
import { switchOff } from '../nodes/switch-on.ts';
import type { SlurmSettings } from '../settings.ts';
import { lookMs, namesIn, nodesInput } from './resume.ts';

const Switched = Type.Object({
  released: Type.String({ description: 'The nodes that are off now, as a hostlist.' }),
  passed_over: Type.String({
    description: 'Nodes that Slurm does not power down, so that the call is late, as a hostlist.',
  }),
});

const mostTries = 8;

async function off(access: ServiceAccess<SlurmSettings>, names: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { records, settings, clock } = access;
    try {
      const known = await readCluster(records, settings.cluster);
      for (const commit of switchOff(known, settings.cluster, names, clock.now()))
        if (commit.length > 0) await records.commit(commit);
      break;
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'CONFLICT' || tries === mostTries) throw error;
    }
  }
  await releaseNow(access, new Set(names));
}

/** Both programs may be late: the server was away, and Slurm starts, uses or keeps the nodes again. */
async function offUnlessKept(
  access: ServiceAccess<SlurmSettings>,
  names: readonly string[],
): Promise<Static<typeof Switched>> {
  const kept = await keptNodes(access, new Set(names));
  // Without an answer of slurmctld nothing is ended: the comparison returns the machines of nodes that are off.
  const released = kept ? names.filter((name) => !kept.has(name)) : [];
  const late = kept ? names.filter((name) => kept.has(name)) : names;
  await off(access, released);
  return { released: writeHostlist(released), passed_over: writeHostlist(late) };
}

export const suspend = serviceOperation<SlurmSettings>()({
  name: 'slurm_suspend',
  kind: 'command',
  summary:
    'Switch nodes off, as Slurm’s SuspendProgram: their machines are returned. Nodes that Slurm does not power down stay.',
  input: Type.Object({ nodes: nodesInput }, { additionalProperties: false }),
  output: Switched,
  rest: { method: 'POST', path: '/slurm/suspend', limit: 'request' },
  refusals: ['UNAVAILABLE'],
  cli: { command: 'slurm suspend', args: ['nodes'], example: 'muster slurm suspend cpu-[1-4]' },
  destructive: true,
  repeatable: true,
  handle: ({ nodes }, access) => offUnlessKept(access, namesIn(nodes)),
});

/**
 * The nodes that slurmctld does not power down, and those that it powers down, or takes for off, although a job has
 * them: it was killed and forgot that they are up, or it read slurm.conf again while the job waited for its nodes.
 * Undefined: it does not say.
 */
async function keptNodes(
  access: ServiceAccess<SlurmSettings>,
  asked: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const controller = controllerOf(access.settings);
    const nodes = await controller.nodes(lookMs);
    const off = nodes.filter((node) => isPoweredDown(node));
    const doubtful = off.filter((node) => isAllocated(node) && asked.has(node.name)).map(({ name }) => name);
    const { held } = await controller.withJobs(doubtful, lookMs);
    const free = new Set(off.flatMap(({ name }) => (held.has(name) ? [] : [name])));
    return new Set(nodes.flatMap(({ name }) => (free.has(name) ? [] : [name])));
  } catch (error) {
    access.log.warn({ err: error }, 'slurmctld did not say which nodes it powers down; nothing is returned now.');
    return undefined;
  }
}

export const resumeFail = serviceOperation<SlurmSettings>()({
  name: 'slurm_resume_fail',
  kind: 'command',
  summary: 'Give nodes up that did not come in time, as Slurm’s ResumeFailProgram: their machines are returned.',
  input: Type.Object({ nodes: nodesInput }, { additionalProperties: false }),
  output: Switched,
  rest: { method: 'POST', path: '/slurm/resume-fail', limit: 'request' },
  refusals: ['UNAVAILABLE'],
  cli: { command: 'slurm resume-fail', args: ['nodes'], example: 'muster slurm resume-fail cpu-[1-4]' },
  destructive: true,
  repeatable: true,
  handle: ({ nodes }, access) => offUnlessKept(access, namesIn(nodes)),
});
