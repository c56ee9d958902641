import { sentence, type Finding } from '../../core/contract/findings.ts';
import { printableLine } from '../process/printable.ts';
import type { Terminal } from '../process/terminal.ts';
import { codeOf, exitCodeOf, exitCodes } from './exit-codes.ts';

/**
 * Prints an error: its message, findings one per line; a stack only for an unexpected error. Returns the exit code.
 */
export function reportFailure(error: unknown, terminal: Pick<Terminal, 'err'>): number {
  if (isWithoutDirectory(error)) {
    terminal.err(`muster: ${noDirectory}\n`);
    return exitCodes.refused;
  }
  terminal.err(`${textOf(error)}\n`);
  return exitCodeOf(error);
}

/** Whether Node could not find out the working directory. */
function isWithoutDirectory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Node names the system call in the message alone when it says more than the system does.
  if (code === 'ENOENT' && (syscall === 'uv_cwd' || /\buv_cwd\b/.test(error.message))) return true;
  return isWithoutDirectory(error.cause);
}

const noDirectory =
  'The working directory of this shell does not exist any more: it was deleted or replaced. Change to a directory that exists (`cd`), then repeat.';

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  // An operation that failed in this process has its cause; a server logs the cause itself.
  if (code === undefined || (code === 'INTERNAL' && error.cause instanceof Error))
    return (error.cause as Error | undefined)?.stack ?? error.stack ?? error.message;
  const findings = (error as { readonly details?: Readonly<Record<string, unknown>> }).details?.['findings'] as
    | readonly Finding[]
    | undefined;
  if (code !== 'INVALID_CONFIGURATION' || !findings?.some(({ level }) => level))
    return `muster: ${asOneMessage(error.message)}`;
  return [
    'muster: the configuration cannot be used:',
    ...findings.map((finding) => `  ${finding.level}: ${printableLine(sentence(finding))}`),
  ].join('\n');
}

/** Further lines are indented, more than those of findings: what a provider says must not look like a line of muster. */
const asOneMessage = (message: string): string => message.replaceAll(/\r?\n/g, '\n    ');
