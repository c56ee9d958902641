import { sentence } from '../../../../../core/contract/findings.ts';
import { listenError } from '../../../../client/listen-error.ts';
import { runningServer } from '../../../../client/running-server.ts';
import { refuseSamples } from '../../../../data-directory/refuse-samples.ts';
import { cannotListen } from '../../../../http/serve-http.ts';
import { requireSharedStorage } from '../../../../store/shared-storage.ts';
import { tryStorage } from '../../../../store/try-storage.ts';
import type { Terminal } from '../../../../process/terminal.ts';
import { exitCodes } from '../../../exit-codes.ts';
import { loadForStart } from './load-for-start.ts';
import type { StartFlags } from './start-flags.ts';

/**
 * `muster server start --check`: throws what a start with these options would throw, and UNAVAILABLE when it
 * would wait for its storage. Starts and changes nothing.
 */
export async function checkStart(flags: StartFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadForStart(flags);
  refuseSamples(loaded, process.cwd());
  const { server, data_directory } = loaded.configuration;
  if (server.workers > 1) requireSharedStorage(loaded, `${server.workers} workers need`);
  for (const finding of loaded.findings) terminal.err(`muster: ${finding.level}: ${sentence(finding)}\n`);
  const running = await runningServer(data_directory);
  // The running server, which would be replaced, uses its port until then.
  const inUse = running?.port === server.port ? undefined : await listenError(server.port, server.host);
  if (inUse) throw cannotListen(server.host, server.port, inUse);
  await tryStorage(loaded);
  terminal.out(`A server can start with ${loaded.file ?? 'the samples, since no configuration was found'}.\n`);
  return exitCodes.done;
}
