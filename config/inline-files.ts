import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isBrokerError } from '../core/errors.ts';
import type { Finding } from '../core/findings.ts';
import { readText } from './source-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that name a file, and the field that takes what is in it. */
const inlined: Readonly<Record<string, { readonly into: string; read(path: string, text: string): unknown }>> = {
  user_data_script: { into: 'user_data', read: (_, text) => Buffer.from(text).toString('base64') },
  provider_api_spec_file: { into: 'provider_api_spec', read: (path, text) => readText(path, text).value },
  launch_template_spec_file: { into: 'launch_template_spec', read: (path, text) => readText(path, text).value },
};

/**
 * Puts the contents of files that a template names in place of their names: requests keep their template, and must not change with a file.
 * Paths are relative to the template directory. A field that says the contents itself wins.
 */
export async function inlineFiles(
  fields: Fields,
  directory: string,
): Promise<{ readonly fields: Fields; readonly findings: readonly Finding[] }> {
  const filled: Record<string, unknown> = { ...fields };
  const findings: Finding[] = [];
  for (const [field, { into, read }] of Object.entries(inlined)) {
    const name = filled[field];
    if (typeof name !== 'string' || name === '') continue;
    const path = resolve(directory, name);
    delete filled[field];
    if (filled[into] !== undefined) continue;
    try {
      filled[into] = read(path, await readFile(path, 'utf8'));
    } catch (error) {
      const reason = isBrokerError(error)
        ? error.message
        : `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
      findings.push({ level: 'error', path: `/${field}`, message: reason });
    }
  }
  return { fields: filled, findings };
}
