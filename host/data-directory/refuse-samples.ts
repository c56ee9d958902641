import { existsSync } from 'node:fs';
import type { LoadedConfiguration } from '../../config/load.ts';
import { runsOnSamples } from '../../config/sources/samples.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { readLastStart, type StartRecord } from './start-record.ts';

/**
 * Refuses, with INVALID_CONFIGURATION, to work with samples on a data directory whose server had a configuration: what is stored there would be served by
 * providers that know nothing of it. `cwd`: where a configuration was looked for.
 */
export function refuseSamples(loaded: LoadedConfiguration, cwd: string): void {
  const { data_directory } = loaded.configuration;
  if (!runsOnSamples(loaded)) return;
  const last = readLastStart(data_directory);
  if (!last || last.samples) return;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `The data directory ${data_directory} belongs to ${whose(last)}, and none was found from ${cwd}. ${howToGoOn(last)} To try samples, set MUSTER_DATA_DIR to another directory.`,
    { configuration: last.config },
  );
}

function whose({ config, env, secret_env }: StartRecord): string {
  if (config === null) return `a server that is configured by ${[...Object.keys(env), ...secret_env].join(', ') || 'a program'}`;
  return `the configuration ${config}${existsSync(config) ? '' : ', which is not there any more'}`;
}

function howToGoOn({ config }: StartRecord): string {
  if (config === null) return 'Go on with `muster server restart`, or set the same variables.';
  if (!existsSync(config)) return 'Put it back, or name another with `--config FILE`.';
  return `Go on with \`muster server restart\`, or name it: \`--config ${config}\`.`;
}
