import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { readTemplateFiles } from '../../config/templates/template-files.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { isError, sentences } from '../../core/contract/findings.ts';
import { configurationName } from './file-texts.ts';
import type { NewFile } from './write-pair.ts';

/**
 * Reads the files as a broker will, in a directory of their own. Throws INVALID_CONFIGURATION for what a broker would
 * not accept. `plugins`: where those of the configuration are found from any directory.
 */
export async function verify(
  files: readonly NewFile[],
  plugins: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-init-'));
  try {
    for (const { name, text } of files) await writeFile(join(directory, name), text);
    const file = join(directory, configurationName);
    const loaded = await loadConfiguration({ cwd: directory, env, file, overrides: { plugins } });
    const { findings } = await readTemplateFiles({
      directory,
      types: loaded.plugins.flatMap((plugin) => plugin.providers ?? []),
      instances: loaded.configuration.providers.map(({ name }) => name),
      strategies: loaded.plugins.flatMap((plugin) => plugin.schedulers ?? []),
      review: loaded.review,
    });
    const errors = findings.filter(isError);
    if (errors.length > 0) throw new BrokerError('INVALID_CONFIGURATION', sentences(errors));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
