import { sentence, type Finding } from '../../core/contract/findings.ts';
import type { Terminal } from '../process/terminal.ts';
import { codeOf, exitCodeOf } from './exit-codes.ts';

/** Says what went wrong: a sentence for refusals, findings one a line; a stack only for what nobody foresaw. The exit code. */
export function tellFailure(error: unknown, terminal: Pick<Terminal, 'err'>): number {
  terminal.err(`${textOf(error)}\n`);
  return exitCodeOf(error);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  // A method that failed here brings the cause with it; one at a server has its own log for it.
  if (code === undefined || (code === 'INTERNAL' && error.cause instanceof Error))
    return (error.cause as Error | undefined)?.stack ?? error.stack ?? error.message;
  const findings = (error as { readonly details?: Readonly<Record<string, unknown>> }).details?.['findings'] as
    | readonly Finding[]
    | undefined;
  if (code !== 'INVALID_CONFIGURATION' || !findings?.some(({ level }) => level)) return `muster: ${error.message}`;
  return ['muster: the configuration cannot be used:', ...findings.map((finding) => `  ${finding.level}: ${sentence(finding)}`)].join('\n');
}
