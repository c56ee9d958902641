import { Type, type Static } from 'typebox';
import { BrokerError, serviceOperation, type ServiceAccess } from '../../../core/index.ts';
import { controllerOf } from '../controller/controller.ts';
import { phaseOf } from '../controller/parse-nodes.ts';
import { HostlistError } from '../hostlist/hostlist-error.ts';
import { readHostlist } from '../hostlist/read-hostlist.ts';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import { order } from '../nodes/order.ts';
import { readCluster } from '../nodes/records.ts';
import { releaseNow } from '../nodes/release-now.ts';
import type { ResumedJob } from '../nodes/switch-on.ts';
import { setsByNode, type SlurmSettings } from '../settings.ts';

export const nodesInput = Type.String({
  minLength: 1,
  maxLength: 1_000_000,
  description: 'The nodes, as a Slurm hostlist: `cpu-[1-10]`.',
});

/** The names of a hostlist; INVALID_REQUEST when it is none. */
export function namesIn(nodes: string, field = '/nodes', most?: number): readonly string[] {
  try {
    return [...new Set(readHostlist(nodes, most))];
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error;
    throw new BrokerError('INVALID_REQUEST', `${field}: ${error.message}`);
  }
}

const Jobs = Type.Array(
  Type.Object({ job_id: Type.Integer({ minimum: 0 }), nodes: nodesInput }, { additionalProperties: false }),
  { maxItems: 65_536, description: 'The jobs that wait for the nodes, as SLURM_RESUME_FILE has them.' },
);

/** The most nodes of all jobs of a call: jobs that share nodes name them again. */
const mostOfJobs = 400_000;

/** The names of the nodes of jobs. All lists together are bounded: each may be short and have many names. */
function readJobs(jobs: Static<typeof Jobs>): ResumedJob[] {
  let left = mostOfJobs;
  return jobs.map(({ job_id, nodes }, index) => {
    const names = namesIn(nodes, `/jobs/${index}/nodes`, Math.min(left, mostOfJobs / 2));
    left -= names.length;
    return { job_id, nodes: names };
  });
}

/** How long slurmctld may take to say what it does with nodes. */
export const lookMs = 600;

/**
 * Nodes whose machine joined and that Slurm does not start now: the call is late, or the second one, and must not
 * replace a machine in use. So are nodes that a slurmctld starts which forgot that a job runs there.
 * Without an answer of slurmctld these nodes are left to the next comparison.
 */
async function lateNodes(
  access: ServiceAccess<SlurmSettings>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const { nodes: known } = await readCluster(access.records, access.settings.cluster);
  const joined = names.filter((name) => {
    const node = known.get(name)?.value;
    return node?.state === 'on' && node.joined_at !== undefined;
  });
  if (joined.length === 0) return new Set();
  try {
    const controller = controllerOf(access.settings);
    const nodes = await controller.nodes(lookMs);
    const starting = new Set(nodes.flatMap((node) => (phaseOf(node) === 'starting' ? [node.name] : [])));
    const { busy } = await controller.withJobs(
      joined.filter((name) => starting.has(name)),
      lookMs,
    );
    return new Set(joined.filter((name) => !starting.has(name) || busy.has(name)));
  } catch (error) {
    access.log.warn({ err: error }, 'slurmctld did not say whether it starts nodes that have a machine.');
    return new Set(joined);
  }
}

export const resume = serviceOperation<SlurmSettings>()({
  name: 'slurm_resume',
  kind: 'command',
  summary: 'Switch nodes on, as Slurm’s ResumeProgram: machines are ordered for them. Answers before they run.',
  input: Type.Object({ nodes: nodesInput, jobs: Type.Optional(Jobs) }, { additionalProperties: false }),
  output: Type.Object({
    ordered: Type.String({ description: 'The nodes for which machines are ordered now, as a hostlist.' }),
    unknown: Type.String({ description: 'Nodes that no node set of the configuration has, as a hostlist.' }),
    request_ids: Type.Array(Type.String()),
  }),
  rest: { method: 'POST', path: '/slurm/resume', limit: 'request' },
  refusals: ['UNAVAILABLE'],
  cli: { command: 'slurm resume', args: ['nodes'], example: 'muster slurm resume cpu-[1-4]' },
  repeatable: true,
  async handle({ nodes, jobs = [] }, access) {
    const names = namesIn(nodes);
    const setOf = setsByNode(access.settings);
    const read = readJobs(jobs);
    const late = await lateNodes(access, names);
    const orders = await order(
      access,
      names.filter((name) => !late.has(name)),
      read,
    );
    const ordered = orders.flatMap((each) => each.names);
    // A node that is switched on again may still have the machine of its last generation.
    await releaseNow(access, new Set(ordered));
    const unknown = names.filter((name) => !setOf.has(name));
    if (unknown.length > 0)
      access.log.warn(
        { nodes: writeHostlist(unknown) },
        'Slurm resumes nodes that no node set of the configuration has.',
      );
    return {
      ordered: writeHostlist(ordered),
      unknown: writeHostlist(unknown),
      request_ids: orders.map(({ request_id }) => request_id),
    };
  },
});
