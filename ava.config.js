import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownTemporaryDirectories } from './test/support/leftover-guard.ts';

export default {
  files: ['test/**/*.test.ts', '!test/**/*.long.test.ts'],
  extensions: ['ts'],
  // Every file is a process of its own; stripped and compiled sources of the last run save each a third of its time.
  // Absolute, since tests start processes in other directories, and those inherit it.
  environmentVariables: {
    NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile'),
    ...ownTemporaryDirectories(),
  },
  // Room for young objects from the beginning saves a tenth of the processor's time: simulated clouds and clocks make
  // much garbage.
  nodeArguments: [
    '--min-semi-space-size=16',
    '--max-semi-space-size=32',
    `--import=${pathToFileURL(join(import.meta.dirname, 'test/support/quick-loading.ts'))}`,
  ],
  timeout: '120s',
  concurrency: 3,
  workerThreads: false,
};
