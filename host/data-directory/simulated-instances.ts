import type { Configuration } from '../../config/configuration.ts';
import type { LoadedConfiguration } from '../../config/load.ts';
import { runsOnSamples } from '../../config/sources/samples.ts';
import type { StartRecord } from './start-record.ts';

/** What the simulated cloud is addressed by. */
const scheme = /^simulator:/;

/** Names of the provider instances whose machines are the simulated cloud's, which muster starts by itself. */
export const simulatedInstances = ({ providers }: Pick<Configuration, 'providers'>): readonly string[] =>
  providers.filter(({ config }) => scheme.test(String(config['endpoint_url']))).map(({ name }) => name);

/** A sentence for whoever starts a server, or is one; undefined where every machine is real. */
export function simulatedSentence({ simulated, samples }: Pick<StartRecord, 'simulated' | 'samples'>): string | undefined {
  if (simulated.length === 0) return undefined;
  if (samples) return 'No configuration was found: it runs on sample templates and the simulated cloud, and no machine of it is real.';
  const names = simulated.map((name) => `'${name}'`).join(', ');
  return `The machines of ${names} are the simulated cloud's: none of them is real.`;
}

export const simulatedSentenceOf = (loaded: LoadedConfiguration): string | undefined =>
  simulatedSentence({ simulated: simulatedInstances(loaded.configuration), samples: runsOnSamples(loaded) });
