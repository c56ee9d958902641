import type { CheckResult } from '../../../core/index.ts';
import type { SlurmNode } from '../controller/parse-nodes.ts';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import { setsByNode, type SlurmSettings } from '../settings.ts';

/** What slurmctld says of itself. */
export interface SlurmFacts {
  /** The fields of `scontrol show config`. */
  readonly config: ReadonlyMap<string, string>;
  readonly nodes: readonly SlurmNode[];
}

/** What in slurm.conf does not fit to muster, and what to set. One line `ok` when everything fits. Pure. */
export function reviewConf({ config, nodes }: SlurmFacts, settings: SlurmSettings): readonly CheckResult[] {
  const found = [...programs(config), ...times(config, settings), ...behaviour(config), ...nodesOf(nodes, settings)];
  if (found.length > 0) return found;
  const count = setsByNode(settings).size;
  return [{ level: 'ok', message: `slurmctld has the programs, the times and the ${count} nodes of muster.` }];
}

const warning = (message: string, remedy: string): CheckResult => ({ level: 'warning', message, remedy });
const error = (message: string, remedy: string): CheckResult => ({ level: 'error', message, remedy });

/** A time of `scontrol show config`: `30 sec`. Undefined: none is set, as `NONE`, `INFINITE` and `(null)`. */
function secondsIn(config: SlurmFacts['config'], field: string): number | undefined {
  const text = config.get(field) ?? '';
  return /^\d+/.test(text) ? Number.parseInt(text, 10) : undefined;
}

function programs(config: SlurmFacts['config']): CheckResult[] {
  return ['ResumeProgram', 'SuspendProgram', 'ResumeFailProgram'].flatMap((field) => {
    const program = config.get(field) ?? '(null)';
    if (program !== '(null)') return [];
    return [error(`slurm.conf has no ${field}.`, 'Run muster slurm install, and add its lines to slurm.conf.')];
  });
}

function times(config: SlurmFacts['config'], { request_timeout, sync_s }: SlurmSettings): CheckResult[] {
  const found: CheckResult[] = [];
  const resume = secondsIn(config, 'ResumeTimeout');
  if (resume !== undefined && resume <= request_timeout)
    found.push(
      warning(
        `ResumeTimeout is ${resume} s, and a request waits up to ${request_timeout} s for machines: a node whose machine comes late is DOWN.`,
        `Set ResumeTimeout above request_timeout and the boot of a machine: ${request_timeout + 300}; or a smaller request_timeout.`,
      ),
    );
  const suspend = secondsIn(config, 'SuspendTimeout');
  // A suspend that was lost is found by two comparisons; until then the machine of the last generation lives.
  if (suspend !== undefined && suspend < 2 * sync_s)
    found.push(
      warning(
        `SuspendTimeout is ${suspend} s, and two comparisons need ${2 * sync_s} s: a node may be used again while its last machine lives.`,
        'Set SuspendTimeout to 120, or at least to twice sync_s and the time in which a machine ends.',
      ),
    );
  const idle = secondsIn(config, 'SuspendTime');
  if (idle === undefined || idle === 0)
    found.push(
      warning('SuspendTime is not set: idle machines are never returned.', 'Set SuspendTime, for example 300.'),
    );
  return found;
}

function behaviour(config: SlurmFacts['config']): CheckResult[] {
  const found: CheckResult[] = [];
  for (const field of ['ResumeRate', 'SuspendRate'])
    if (!/^0\b/.test(config.get(field) ?? '0'))
      found.push(
        warning(
          `${field} is ${config.get(field)}: the nodes of one job may come in several calls, as several requests.`,
          `Set ${field}=0.`,
        ),
      );
  if ((config.get('ReturnToService') ?? '2') !== '2')
    found.push(
      warning('ReturnToService is not 2: a machine that registers late is not used.', 'Set ReturnToService=2.'),
    );
  if (!(config.get('SlurmctldParameters') ?? '').includes('idle_on_node_suspend'))
    found.push(
      warning(
        'SlurmctldParameters lacks idle_on_node_suspend: a node that was DOWN or drained is not used again.',
        'Add idle_on_node_suspend to SlurmctldParameters.',
      ),
    );
  if (!(config.get('PrivateData') ?? '').includes('cloud'))
    found.push(
      warning('PrivateData lacks cloud: nodes that are off are hidden from muster.', 'Add cloud to PrivateData.'),
    );
  return found;
}

function nodesOf(nodes: readonly SlurmNode[], settings: SlurmSettings): CheckResult[] {
  const known = new Map(nodes.map((node) => [node.name, node]));
  const names = [...setsByNode(settings).keys()];
  const unknown = names.filter((name) => !known.has(name));
  const fixed = names.filter((name) => known.get(name)?.flags.has('CLOUD') === false);
  return [
    ...(unknown.length === 0
      ? []
      : [error(`slurmctld does not know ${shown(unknown)}.`, 'Add the nodes to slurm.conf: muster slurm install.')]),
    ...(fixed.length === 0
      ? []
      : [error(`${shown(fixed)} have no State=CLOUD: Slurm never starts them.`, 'Set State=CLOUD for these nodes.')]),
  ];
}

const shown = (names: readonly string[]): string => {
  const text = writeHostlist(names);
  return text.length > 200 ? `${text.slice(0, 200)}… (${names.length} nodes)` : text;
};
