import { Type, type Static } from 'typebox';
import type { Finding } from '../../core/index.ts';
import { HostlistError } from './hostlist/hostlist-error.ts';
import { readHostlist } from './hostlist/read-hostlist.ts';

const NodeSet = Type.Object(
  {
    nodes: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The nodes of the set, as a Slurm hostlist: `cpu-[1-100]`. A node belongs to one set.',
    }),
    template: Type.String({ minLength: 1, maxLength: 128, description: 'The template of their machines.' }),
    weight: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: "Slurm's Weight of the nodes in the snippet: nodes with a lower weight are used first.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** The section `slurm` of the configuration. */
export const SlurmSettings = Type.Object(
  {
    cluster: Type.String({
      default: 'cluster',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$',
      description: "The name of the cluster, as `ClusterName` in slurm.conf. The nodes' records are kept under it.",
    }),
    node_sets: Type.Array(NodeSet, {
      minItems: 1,
      maxItems: 200,
      description: 'Which nodes are machines of which template.',
    }),
    conf: Type.Optional(
      Type.String({ minLength: 1, path: true, description: 'The slurm.conf, as SLURM_CONF. Default: that of Slurm.' }),
    ),
    bin: Type.Optional(
      Type.String({
        minLength: 1,
        path: true,
        description: 'The directory of scontrol and squeue. Default: the PATH.',
      }),
    ),
    request_timeout: Type.Integer({
      default: 600,
      minimum: 10,
      maximum: 36_000,
      description: "Seconds that a request waits for machines. Less than slurm.conf's ResumeTimeout.",
    }),
    sync_s: Type.Integer({
      default: 15,
      minimum: 1,
      maximum: 3_600,
      description: 'Seconds between two comparisons of the nodes of Slurm with the machines.',
    }),
    rest_s: Type.Integer({
      default: 180,
      minimum: 1,
      maximum: 86_400,
      description: 'Seconds for which a set that lacked capacity is kept DOWN, so that Slurm uses other sets.',
    }),
  },
  { additionalProperties: false },
);
export type SlurmSettings = Static<typeof SlurmSettings>;

/** The set of each node, by name. */
export const setsByNode = ({ node_sets }: SlurmSettings): ReadonlyMap<string, number> =>
  new Map(node_sets.flatMap(({ nodes }, index) => readHostlist(nodes).map((name) => [name, index] as const)));

/** Hostlists that cannot be read, and nodes in two sets. */
export function reviewSettings({ node_sets }: SlurmSettings): readonly Finding[] {
  const findings: Finding[] = [];
  const owner = new Map<string, number>();
  for (const [index, { nodes }] of node_sets.entries()) {
    const path = `/node_sets/${index}/nodes`;
    try {
      for (const name of readHostlist(nodes)) {
        const other = owner.get(name);
        owner.set(name, index);
        if (other === undefined) continue;
        const where = other === index ? 'twice in this set' : `also in /slurm/node_sets/${other}`;
        findings.push({ level: 'error', path, message: `node '${name}' is ${where}` });
        break;
      }
    } catch (error) {
      if (!(error instanceof HostlistError)) throw error;
      findings.push({ level: 'error', path, message: error.message });
    }
  }
  return findings;
}
