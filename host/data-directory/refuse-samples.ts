import { existsSync } from 'node:fs';
import type { LoadedConfiguration } from '../../config/load.ts';
import { runsOnSamples } from '../../config/samples.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { readLastStart, type StartRecord } from './start-record.ts';

/**
 * Throws INVALID_CONFIGURATION when the loaded configuration is the sample configuration and the last server of the
 * data directory had another one: the sample providers do not know the stored machines. `cwd`: the directory where the
 * search for a configuration began.
 */
export function refuseSamples(loaded: LoadedConfiguration, cwd: string): void {
  const { data_directory } = loaded.configuration;
  if (!runsOnSamples(loaded)) return;
  const last = readLastStart(data_directory);
  if (!last || last.samples) return;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `The data directory ${data_directory} belongs to ${ownerOf(last)}, and no configuration was found from ${cwd}. ${remedyFor(last)} To try the samples, set MUSTER_DATA_DIR to another directory.`,
    { configuration: last.config },
  );
}

function ownerOf({ config, env, secret_env }: StartRecord): string {
  if (config === null)
    return `a server that is configured by ${[...Object.keys(env), ...secret_env].join(', ') || 'a program'}`;
  return `the configuration ${config}${existsSync(config) ? '' : ', which no longer exists'}`;
}

function remedyFor({ config }: StartRecord): string {
  if (config === null) return 'Run `muster server restart`, or set the same variables.';
  if (!existsSync(config)) return `Put ${config} back, or pass another file with \`--config FILE\`.`;
  return `Run \`muster server restart\`, or pass it: \`--config ${config}\`.`;
}
