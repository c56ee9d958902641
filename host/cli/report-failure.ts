import { sentence, type Finding } from '../../core/contract/findings.ts';
import { printableLine } from '../process/printable.ts';
import type { Terminal } from '../process/terminal.ts';
import { codeOf, exitCodeOf } from './exit-codes.ts';

/**
 * Prints an error: its message, findings one per line; a stack only for an unexpected error. Returns the exit code.
 */
export function reportFailure(error: unknown, terminal: Pick<Terminal, 'err'>): number {
  terminal.err(`${textOf(error)}\n`);
  return exitCodeOf(error);
}

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
