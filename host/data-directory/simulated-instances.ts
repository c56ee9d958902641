import type { Configuration } from '../../config/configuration.ts';
import type { LoadedConfiguration } from '../../config/load.ts';
import { runsOnSamples } from '../../config/samples.ts';
import type { StartRecord } from './start-record.ts';

/** The URL scheme of the simulated cloud. */
const scheme = /^simulator:/;

/** Returns the names of the provider instances that use the simulated cloud of muster. */
export const simulatedInstances = ({ providers }: Pick<Configuration, 'providers'>): readonly string[] =>
  providers.filter(({ config }) => scheme.test(String(config['endpoint_url']))).map(({ name }) => name);

/** Returns a sentence for the person who starts a server or runs one; undefined when every machine is real. */
export function simulatedSentence({
  simulated,
  samples,
}: Pick<StartRecord, 'simulated' | 'samples'>): string | undefined {
  if (simulated.length === 0) return undefined;
  if (samples)
    return 'No configuration was found: the server runs on sample templates and the simulated cloud, and none of its machines is real.';
  const names = simulated.map((name) => `'${name}'`).join(', ');
  return `The machines of ${names} belong to the simulated cloud: none of them is real.`;
}

export const simulatedSentenceOf = (loaded: LoadedConfiguration): string | undefined =>
  simulatedSentence({ simulated: simulatedInstances(loaded.configuration), samples: runsOnSamples(loaded) });
