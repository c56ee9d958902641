import { configurationChecks } from '../../config/configuration-checks.ts';
import { loadConfiguration, type LoadedConfiguration } from '../../config/load.ts';
import { sentence } from '../../core/findings.ts';
import { silentLog } from '../../core/log.ts';
import { getConfiguration } from '../../core/operations/configuration.ts';
import { operations } from '../../core/operations/registry.ts';
import type { Operation } from '../../core/operations/operation.ts';
import type { Services } from '../../core/operations/services.ts';
import { readInput } from '../../core/operations/read-input.ts';
import { compose } from '../compose.ts';
import { lockDataDirectory, makeDataDirectory } from '../data-directory.ts';
import { refuseSamples } from '../refuse-samples.ts';
import { carryIn } from '../sdk/carry-in.ts';
import { sharesStorage } from '../shared-storage.ts';
import type { Terminal } from '../terminal.ts';
import type { OperationClient } from './server-client.ts';

export interface LocalClient extends OperationClient {
  readonly loaded: LoadedConfiguration;
  /** Whether another process sees what is stored here. */
  readonly shared: boolean;
}

/** The configuration as it is found from here; warnings are told. */
export async function configurationHere(config: string | undefined, terminal: Terminal): Promise<LoadedConfiguration> {
  const loaded = await loadConfiguration({ cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) });
  for (const finding of loaded.findings) terminal.err(`muster: ${finding.level}: ${sentence(finding)}\n`);
  return loaded;
}

/**
 * Operations in this process, on the store of the configuration. With `loop` requests are carried out here too: CONFLICT while another process has the
 * data directory.
 */
export async function localClient(config: string | undefined, loop: boolean, terminal: Terminal): Promise<LocalClient> {
  const loaded = await configurationHere(config, terminal);
  refuseSamples(loaded, process.cwd());
  const { data_directory } = loaded.configuration;
  const undo = new AsyncDisposableStack();
  try {
    makeDataDirectory(data_directory);
    if (loop) undo.use(lockDataDirectory(data_directory));
    const broker = await compose({ loaded, log: silentLog, loop: loop ? 'inline' : 'none' });
    undo.defer(() => broker.close());
    for (const wrong of broker.services.templates.cacheStats.errors) terminal.err(`muster: warning: ${wrong}\n`);
    const carry = carryIn(broker);
    return {
      loaded,
      shared: sharesStorage(loaded),
      call: (name, input, signal) => carry(operationNamed(name), input, signal ? { signal } : {}),
      close: () => undo.disposeAsync(),
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** What a server started here would run by: neither a store nor a provider is touched, and nothing is made. */
export async function configurationClient(config: string | undefined, terminal: Terminal): Promise<OperationClient> {
  const loaded = await configurationHere(config, terminal);
  const types = loaded.plugins.flatMap((plugin) => plugin.providers ?? []);
  const services = { configuration: configurationChecks(loaded, types) } as unknown as Services;
  return { call: async (_, input) => getConfiguration.handle(readInput(getConfiguration, input), services, {}), close: async () => {} };
}

const operationNamed = (name: string): Operation<any, any> =>
  (operations as readonly Operation<any, any>[]).find((operation) => operation.name === name) as Operation<any, any>;
