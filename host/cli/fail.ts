import { isBrokerError } from '../../core/errors.ts';
import { sentence, type Finding } from '../../core/findings.ts';
import { exitCodeOf } from './exit-codes.ts';

/** Ends the process with what went wrong: a sentence for refusals, findings one a line; a stack only for what nobody foresaw. */
export function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(exitCodeOf(error));
}

function textOf(error: unknown): string {
  if (!isBrokerError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const findings = error.details['findings'] as readonly Finding[] | undefined;
  if (error.code !== 'INVALID_CONFIGURATION' || !findings?.length) return `muster: ${error.message}`;
  return ['muster: the configuration cannot be used:', ...findings.map((finding) => `  ${finding.level}: ${sentence(finding)}`)].join('\n');
}
