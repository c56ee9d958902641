import { dirname } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';
import { isError, sentence, sentences, type Finding } from '../../core/contract/findings.ts';
import { inlineFiles } from './inline-files.ts';
import { loadConfiguration } from '../load.ts';
import type { LoadOptions } from '../load-options.ts';
import type { SourceText } from '../sources/source-text.ts';

export interface ConvertedTemplates {
  /** Templates with muster's field names; the files that they name are inlined. */
  readonly templates: readonly Record<string, unknown>[];
  /** Sentences, each with its place. */
  readonly warnings: readonly string[];
}

/**
 * Converts the templates of a file in the format of one of the configured scheduler strategies; undefined when no
 * strategy recognizes the file. Throws INVALID_REQUEST with all errors when a template cannot be converted.
 */
export async function convertTemplates(
  source: SourceText,
  file: string,
  options: LoadOptions,
): Promise<ConvertedTemplates | undefined> {
  const { plugins, review } = await loadConfiguration(options);
  const strategies = plugins.flatMap((plugin) => plugin.schedulers ?? []);
  const read = strategies
    .find((strategy) => strategy.readTemplates && strategy.recognizes?.(source.value, file))
    ?.readTemplates?.(source.value, review.canonical);
  if (!read) return undefined;
  const findings: Finding[] = read.findings.map((finding) => ({ ...finding, file: source.place(finding.path) }));
  const templates: Record<string, unknown>[] = [];
  for (const { template_id, fields } of read.layers) {
    const inlined = await inlineFiles(fields, dirname(file));
    findings.push(
      ...inlined.findings.map((finding) => ({
        ...finding,
        file,
        message: `template '${template_id}': ${finding.message}`,
      })),
    );
    templates.push({ ...inlined.fields });
  }
  const errors = findings.filter(isError);
  if (errors.length > 0) throw new BrokerError('INVALID_REQUEST', sentences(errors), { file });
  return { templates, warnings: findings.map(sentence) };
}
