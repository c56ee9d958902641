import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { isTaken } from '../../host/data-directory/data-directory.ts';
import { isServerProcess } from '../../host/client/running-server.ts';
import { startingServer } from '../../host/client/server-process.ts';
import { readServerPlace } from '../../host/data-directory/server-place.ts';
import { until } from './boot-broker.ts';

/**
 * Kills the server of a data directory, and waits until the directory is free: one that is still starting has it
 * before it says where it is.
 */
export async function endServer(data: string): Promise<void> {
  await until(async () => {
    const running = existsSync(data) ? (readServerPlace(data) ?? startingServer(data)) : undefined;
    if (running && isServerProcess(running)) process.kill(running.pid, 'SIGKILL');
    return !existsSync(data) || !isTaken(data);
  });
}

/** A directory that goes with the test; a server in its `data` ends before. */
export async function emptyPlace(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-empty-'));
  t.teardown(async () => {
    await endServer(join(directory, 'data'));
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}
