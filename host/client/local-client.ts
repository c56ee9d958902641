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
import { thisProgram } from '../http/calling-program.ts';
import { localExecutor } from '../sdk/local-executor.ts';
import { sharesStorage } from '../store/shared-storage.ts';
import type { Terminal } from '../process/terminal.ts';
import { nothingStored } from './nothing-stored.ts';
import type { OperationClient } from './server-client.ts';

export interface LocalClient extends OperationClient {
  readonly loaded: LoadedConfiguration;
  /** Whether other processes see what this process stores. */
  readonly shared: boolean;
  /**
   * The storage does not exist yet: this client uses an empty store in memory, sees no later changes and stores
   * nothing.
   */
  readonly ephemeral: boolean;
}

/** How a process uses the store: `work` runs the reconciler too. */
export type StoreUse = 'read' | 'write' | 'work';

/** Loads the configuration from the working directory and prints its warnings. */
export async function loadFromWorkingDirectory(
  config: string | undefined,
  terminal: Terminal,
): Promise<LoadedConfiguration> {
  const loaded = await loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(config === undefined ? {} : { file: config }),
  });
  for (const finding of loaded.findings) terminal.err(`muster: ${finding.level}: ${sentence(finding)}\n`);
  return loaded;
}

/**
 * Creates a client that executes operations in this process on the store of the configuration. `work` throws CONFLICT
 * while another process holds the data directory. `read` creates no files.
 */
export async function localClient(
  config: string | undefined,
  use: StoreUse,
  terminal: Terminal,
): Promise<LocalClient> {
  // One command is too short for an exporter of its own: the server exports what it does.
  const { telemetry: _, ...loaded } = await loadFromWorkingDirectory(config, terminal);
  refuseSamples(loaded, process.cwd());
  const { data_directory } = loaded.configuration;
  const reconciles = use === 'work';
  const ephemeral = use === 'read' && nothingStored(loaded);
  const undo = new AsyncDisposableStack();
  try {
    if (!ephemeral) makeDataDirectory(data_directory);
    if (reconciles) undo.use(lockDataDirectory(data_directory));
    const emptyStorage = ephemeral ? { store: await emptyStore() } : {};
    const broker = await compose({ loaded, log: silentLog, loop: reconciles ? 'inline' : 'none', ...emptyStorage });
    undo.defer(() => broker.close());
    for (const wrong of broker.services.templateLibrary.cacheStats.errors) terminal.err(`muster: warning: ${wrong}\n`);
    const execute = localExecutor(broker);
    return {
      loaded,
      shared: sharesStorage(loaded),
      ephemeral,
      call: (name, input, signal, by = thisProgram('cli')) =>
        execute(operationNamed(name), input, { by, ...(signal ? { signal } : {}) }),
      close: () => undo.disposeAsync(),
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** A store in memory, for this process only. */
async function emptyStore(): Promise<Store> {
  const { MemoryStore } = await import('../../plugins/storage-memory/index.ts');
  return new MemoryStore({ clock: systemClock, log: silentLog });
}

/**
 * Creates a client that answers `get_configuration` with the configuration that a server started here would use. Opens
 * neither a store nor a provider, and creates no files.
 */
export async function configurationClient(config: string | undefined, terminal: Terminal): Promise<OperationClient> {
  const loaded = await loadFromWorkingDirectory(config, terminal);
  const types = loaded.plugins.flatMap((plugin) => plugin.providers ?? []);
  const checks: Pick<Services, 'configurationChecks'> = { configurationChecks: configurationChecks(loaded, types) };
  const services = checks as Services;
  return {
    call: async (_, input) => getConfiguration.handle(readInput(getConfiguration, input), services, {}),
    close: async () => {},
  };
}

const operationNamed = (name: string): Operation<any, any> =>
  (operations as readonly Operation<any, any>[]).find((operation) => operation.name === name) as Operation<any, any>;
