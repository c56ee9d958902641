import { configurationChecks } from '../../config/checks/configuration-checks.ts';
import { loadConfiguration, type LoadedConfiguration } from '../../config/load.ts';
import { systemClock } from '../../core/contract/clock.ts';
import { sentence } from '../../core/contract/findings.ts';
import { silentLog } from '../../core/contract/log.ts';
import type { Store } from '../../core/contract/storage.ts';
import { getConfiguration } from '../../core/operations/providers/configuration.ts';
import { operations } from '../../core/operations/registry.ts';
import type { Operation } from '../../core/operations/operation.ts';
import type { Services } from '../../core/operations/services.ts';
import { readInput } from '../../core/operations/read-input.ts';
import { compose } from '../compose.ts';
import { lockDataDirectory, makeDataDirectory } from '../data-directory/data-directory.ts';
import { refuseSamples } from '../data-directory/refuse-samples.ts';
import { localExecutor } from '../sdk/local-executor.ts';
import { sharesStorage } from '../store/shared-storage.ts';
import type { Terminal } from '../process/terminal.ts';
import { nothingStored } from './nothing-stored.ts';
import type { OperationClient } from './server-client.ts';

export interface LocalClient extends OperationClient {
  readonly loaded: LoadedConfiguration;
  /** Whether another process sees what is stored here. */
  readonly shared: boolean;
  /** Nothing is stored yet: this one saw nothing, sees nothing that comes, and keeps nothing. */
  readonly passing: boolean;
}

/** What a process does to the store: `work` carries requests out, too. */
export type Use = 'look' | 'store' | 'work';

/** The configuration as it is found from here; warnings are told. */
export async function configurationHere(config: string | undefined, terminal: Terminal): Promise<LoadedConfiguration> {
  const loaded = await loadConfiguration({ cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) });
  for (const finding of loaded.findings) terminal.err(`muster: ${finding.level}: ${sentence(finding)}\n`);
  return loaded;
}

/**
 * Operations in this process, on the store of the configuration. To `work` is refused with CONFLICT while another process has the data directory. Who
 * only looks makes no file.
 */
export async function localClient(config: string | undefined, use: Use, terminal: Terminal): Promise<LocalClient> {
  const loaded = await configurationHere(config, terminal);
  refuseSamples(loaded, process.cwd());
  const { data_directory } = loaded.configuration;
  const works = use === 'work';
  const passing = use === 'look' && nothingStored(loaded);
  const undo = new AsyncDisposableStack();
  try {
    if (!passing) makeDataDirectory(data_directory);
    if (works) undo.use(lockDataDirectory(data_directory));
    const nothing = passing ? { store: await emptyStore() } : {};
    const broker = await compose({ loaded, log: silentLog, loop: works ? 'inline' : 'none', ...nothing });
    undo.defer(() => broker.close());
    for (const wrong of broker.services.templates.cacheStats.errors) terminal.err(`muster: warning: ${wrong}\n`);
    const carry = localExecutor(broker);
    return {
      loaded,
      shared: sharesStorage(loaded),
      passing,
      call: (name, input, signal) => carry(operationNamed(name), input, signal ? { signal } : {}),
      close: () => undo.disposeAsync(),
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** It begins empty, and nobody else sees it. */
async function emptyStore(): Promise<Store> {
  const { MemoryStore } = await import('../../plugins/storage-memory/index.ts');
  return new MemoryStore({ clock: systemClock, log: silentLog });
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
