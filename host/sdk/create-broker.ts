import { silentLog, type Log } from '../../core/contract/log.ts';
import type { BrokerClient } from './client.ts';
import { asSdkError } from './errors.ts';

export interface CreateBrokerOptions {
  /**
   * The directory where the search for a configuration starts, and to which relative paths are relative. Default: the
   * working directory.
   */
  readonly cwd?: string;
  /** The configuration file. Default: the file that the search finds. */
  readonly config_file?: string;
  /** Settings that override the file, like options of the command line. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** The environment variables. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Where the reconciler loop runs. `none`: requests are only stored, and another process runs the reconciler. Default
   * `thread`.
   */
  readonly loop?: 'thread' | 'inline' | 'none';
  readonly log?: Log;
}

/**
 * Creates a broker in this process, without HTTP. Holds the data directory exclusively unless `loop` is `none`.
 * Rejects with a ConfigurationError.
 */
export async function createBroker(options: CreateBrokerOptions = {}): Promise<BrokerClient> {
  try {
    return await open(options);
  } catch (error) {
    throw asSdkError(error);
  }
}

async function open({
  cwd = process.cwd(),
  config_file,
  configuration,
  env = process.env,
  loop = 'thread',
  log = silentLog,
}: CreateBrokerOptions) {
  const [
    { loadConfiguration },
    { compose },
    { lockDataDirectory, makeDataDirectory },
    { refuseSamples },
    { simulatedSentenceOf },
    { localExecutor },
    { clientOver },
  ] = await Promise.all([
    import('../../config/load.ts'),
    import('../compose.ts'),
    import('../data-directory/data-directory.ts'),
    import('../data-directory/refuse-samples.ts'),
    import('../data-directory/simulated-instances.ts'),
    import('./local-executor.ts'),
    import('./client.ts'),
  ]);
  const loaded = await loadConfiguration({
    cwd,
    env,
    ...(config_file === undefined ? {} : { file: config_file }),
    ...(configuration === undefined ? {} : { overrides: configuration }),
  });
  refuseSamples(loaded, cwd);
  const simulated = simulatedSentenceOf(loaded);
  if (simulated !== undefined) log.info({}, simulated);
  const { data_directory } = loaded.configuration;
  const undo = new AsyncDisposableStack();
  try {
    makeDataDirectory(data_directory);
    if (loop !== 'none') undo.use(lockDataDirectory(data_directory));
    const broker = await compose({ loaded, log, loop, cwd });
    undo.defer(() => broker.close());
    return clientOver(localExecutor(broker), () => undo.disposeAsync(), {
      further: (name) => broker.operations.find((operation) => operation.name === name),
    });
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}
