/** A node as slurmctld shows it. */
export interface SlurmNode {
  readonly name: string;
  /** The base state: IDLE, ALLOCATED, MIXED, DOWN … */
  readonly base: string;
  /** CLOUD, POWERING_UP, POWERED_DOWN, DRAIN … */
  readonly flags: ReadonlySet<string>;
  readonly reason: string;
}

/** Reads the output of `scontrol show node -o`. Lines of another form are skipped. */
export function parseNodes(text: string): SlurmNode[] {
  return text.split('\n').flatMap((line) => {
    const name = /(?:^|\s)NodeName=(\S+)/.exec(line)?.[1];
    const state = /\sState=(\S+)/.exec(line)?.[1];
    if (name === undefined || state === undefined) return [];
    const [base = '', ...flags] = state.replaceAll('*', '+NOT_RESPONDING').split('+');
    const reason = /\sReason=(.*?)(?: \[[^\]]*\])?\s*$/.exec(line)?.[1] ?? '';
    return [{ name, base, flags: new Set(flags), reason }];
  });
}

const isOff = ({ flags }: SlurmNode): boolean => flags.has('POWERED_DOWN');
/** Whether a job has the node. With a node that is off: Slurm starts it soon, or forgot that it is up. */
export const isAllocated = ({ base }: SlurmNode): boolean => base === 'ALLOCATED' || base === 'MIXED';
const isEnding = ({ flags }: SlurmNode): boolean => flags.has('POWERING_DOWN') || flags.has('POWER_DOWN');

/**
 * What a node is doing: `up` with a registered slurmd, `starting`, `ending`, `off`, `failed` after ResumeTimeout,
 * `invalid` by a wrong registration, or something that concerns nobody here (`other`), for example a reboot.
 */
export type NodePhase = 'up' | 'starting' | 'ending' | 'off' | 'failed' | 'invalid' | 'other';

export function phaseOf(node: SlurmNode): NodePhase {
  const { base, flags, reason } = node;
  if (flags.has('REBOOT_ISSUED') || flags.has('REBOOT_REQUESTED') || base === 'FUTURE') return 'other';
  if (base === 'DOWN' && isOff(node)) return 'failed';
  if (base === 'DOWN' && reason.startsWith('ResumeTimeout reached') && !flags.has('POWERING_UP')) return 'failed';
  if (flags.has('INVALID_REG')) return 'invalid';
  if (isEnding(node)) return 'ending';
  if (flags.has('POWERING_UP') || flags.has('POWER_UP')) return 'starting';
  return isOff(node) ? 'off' : 'up';
}

/**
 * Whether slurmctld powers a node down now, or has done so, or gave it up. Only then it calls a program that suspends
 * the node; any other call is late, also for a node that is idle again. POWER_DOWN alone is a wish: its jobs still
 * run.
 */
export const isPoweredDown = (node: SlurmNode): boolean =>
  node.flags.has('POWERING_DOWN') || isOff(node) || phaseOf(node) === 'failed';
