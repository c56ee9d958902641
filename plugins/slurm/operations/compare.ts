import { Type, type Static } from 'typebox';
import { serviceOperation } from '../../../core/index.ts';
import { phaseOf } from '../controller/parse-nodes.ts';
import { isKept } from '../nodes/machines.ts';
import type { SlurmSettings } from '../settings.ts';
import type { Decided } from '../sync/decide.ts';
import { looksOf } from '../sync/job.ts';
import { compare, sync, type Comparison } from '../sync/sync.ts';

const Difference = Type.Object({
  node: Type.String(),
  do: Type.String({ description: 'What the comparison does about it.' }),
  why: Type.String(),
});
const Answer = Type.Object({
  cluster: Type.String(),
  differences: Type.Array(Difference, { description: 'What is done, or with `dry_run` would be done.' }),
  returning: Type.Integer({ description: 'How many requests have machines to return.' }),
});

const difference = ({ name, action, why }: Decided): Static<typeof Difference> => ({
  node: name,
  do: action.do,
  why: 'reason' in action ? `${why} (${action.reason})` : why,
});

/** What is a difference: a machine that joined is none. */
const differencesOf = (decided: readonly Decided[]) =>
  decided.filter(({ action }) => action.do !== 'joined').map(difference);

export const syncNow = serviceOperation<SlurmSettings>()({
  name: 'slurm_sync',
  kind: 'command',
  summary: 'Compare the nodes of Slurm with the machines now, and repair what two comparisons in a row found.',
  input: Type.Object(
    { dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Change nothing; say what differs.' })) },
    { additionalProperties: false },
  ),
  output: Answer,
  rest: { method: 'POST', path: '/slurm/sync', limit: 'provider' },
  refusals: ['UNAVAILABLE'],
  cli: { command: 'slurm sync', example: 'muster slurm sync --dry-run' },
  async handle({ dry_run = false }, access) {
    const { cluster } = access.settings;
    const { decided, releases } = dry_run ? await compare(access) : await sync(access, looksOf(cluster));
    return { cluster, differences: differencesOf(decided), returning: releases.length };
  },
  text: ({ differences, returning }) =>
    [
      ...differences.map(({ node, do: what, why }) => `${node}  ${what}  ${why}`),
      `${differences.length} differences; ${returning} requests have machines to return.`,
      '',
    ].join('\n'),
});

const NodeView = Type.Object({
  node: Type.String(),
  slurm: Type.String({ description: 'What slurmctld says: up, starting, ending, off, failed, invalid, other.' }),
  wanted: Type.Enum(['on', 'off']),
  machine_id: Type.Union([Type.String(), Type.Null()]),
  machine_status: Type.Union([Type.String(), Type.Null()]),
  request_id: Type.Union([Type.String(), Type.Null()]),
  difference: Type.Union([Type.String(), Type.Null()]),
});

export const status = serviceOperation<SlurmSettings>()({
  name: 'slurm_status',
  kind: 'query',
  summary: 'Show the nodes that are on or differ, with their machines.',
  input: Type.Object(
    {
      all_nodes: Type.Optional(
        Type.Boolean({ default: false, description: 'Also nodes that are off on both sides.' }),
      ),
      check: Type.Optional(
        Type.Boolean({ default: false, description: 'The command line exits with 1 when the views differ.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    cluster: Type.String(),
    nodes: Type.Array(NodeView),
    differences: Type.Integer({ description: 'How many nodes the next comparisons will change.' }),
    resting: Type.Array(Type.Object({ set: Type.Integer(), until: Type.String(), reason: Type.String() })),
  }),
  rest: { method: 'GET', path: '/slurm/status', limit: 'read' },
  refusals: ['UNAVAILABLE'],
  cli: { command: 'slurm status', example: 'muster slurm status --check' },
  async handle({ all_nodes = false }, access) {
    const comparison = await compare(access);
    const nodes = nodeViews(comparison);
    const { records, now } = comparison.compared;
    return {
      cluster: access.settings.cluster,
      nodes: all_nodes ? nodes : nodes.filter(isOfInterest),
      differences: nodes.filter((node) => node.difference !== null).length,
      resting: [...records.rests].flatMap(([set, { value }]) =>
        value.until > now ? [{ set, until: new Date(value.until).toISOString(), reason: value.reason }] : [],
      ),
    };
  },
  text: ({ nodes, differences, resting }) =>
    [
      ...nodes.map(
        ({ node, slurm, wanted, machine_id, machine_status, difference: why }) =>
          `${node.padEnd(16)} ${slurm.padEnd(9)} ${wanted.padEnd(4)} ${machine_id ?? '–'} ${machine_status ?? ''}${why ? `  ${why}` : ''}`,
      ),
      ...resting.map(({ set, until, reason }) => `set ${set} rests until ${until}: ${reason}`),
      differences === 0 ? 'Slurm and muster agree.' : `${differences} nodes differ.`,
      '',
    ].join('\n'),
  fails: ({ differences }, { check }) => check === true && differences > 0,
});

const isOfInterest = ({ slurm, wanted, difference: why }: Static<typeof NodeView>): boolean =>
  wanted === 'on' || slurm !== 'off' || why !== null;

function nodeViews({ compared, decided }: Comparison): Static<typeof NodeView>[] {
  const { slurm, records, requests, setOf } = compared;
  const why = new Map(differencesOf(decided).map(({ node, why }) => [node, why]));
  return [...setOf.keys()].map((name) => {
    const node = slurm.get(name);
    const kept = records.nodes.get(name)?.value;
    const request = kept?.order === undefined ? undefined : requests.get(kept.order);
    const machine = request?.machines.filter(({ assigned_name }) => assigned_name === name).findLast(isKept);
    return {
      node: name,
      slurm: node ? phaseOf(node) : 'unknown',
      wanted: kept?.state ?? 'off',
      machine_id: machine?.machine_id ?? null,
      machine_status: machine?.status ?? null,
      request_id: kept?.state === 'on' ? (kept.order ?? null) : null,
      difference: why.get(name) ?? null,
    };
  });
}
