import { BrokerError } from '../../core/contract/errors.ts';
import { isError, sentences, type Finding } from '../../core/contract/findings.ts';
import type { ConfigurationSource } from './configuration-file.ts';
import type { Layers } from './layers.ts';

/**
 * Returns the findings, each with the place of its value: the file with line and column, the environment variable, or
 * the command line.
 */
export function placedIn(
  findings: readonly Finding[],
  layers: Layers,
  source: ConfigurationSource | undefined,
): Finding[] {
  return findings.map((finding) => {
    if (finding.file !== undefined) return finding;
    const { origin, variable } = layers.at(finding.path);
    if (origin === 'environment') return { ...finding, file: `environment variable ${variable ?? ''}`.trim() };
    if (origin === 'command line') return { ...finding, file: 'command line' };
    return source ? { ...finding, file: source.place(finding.path) } : finding;
  });
}

/** Returns one INVALID_CONFIGURATION error with all findings. */
export function configurationError(
  findings: readonly Finding[],
  source: ConfigurationSource | undefined,
): BrokerError {
  const errors = findings.filter(isError);
  const count = errors.length === 1 ? 'one error' : `${errors.length} errors`;
  return new BrokerError('INVALID_CONFIGURATION', `The configuration has ${count}: ${sentences(errors)}`, {
    findings,
    ...(source ? { file: source.file } : {}),
  });
}
