import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BrokerError } from '../../../core/index.ts';

const register = new URL(
  `../../../config/plugins/self-reference-register.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

/**
 * Runs the tests of a plugin with the test runner of Node, on the Node that runs muster: the Node of the system may be
 * too old. Returns the exit code. Throws FILE_NOT_FOUND for a folder without tests.
 */
export async function testPlugin(folder: string): Promise<number> {
  const directory = resolve(folder);
  const files = existsSync(directory) ? globSync('test/**/*.test.{ts,mts,js,mjs}', { cwd: directory }).toSorted() : [];
  if (files.length === 0)
    throw new BrokerError('FILE_NOT_FOUND', `There are no tests in ${join(directory, 'test')}: name them *.test.ts.`);
  const child = spawn(process.execPath, ['--import', register.href, '--test', ...files], {
    cwd: directory,
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
