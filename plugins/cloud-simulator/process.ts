import { enableCompileCache } from 'node:module';

// Loads the sources from the cache of the last start, stripped and compiled.
enableCompileCache();

const [directory, idleMs] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: process DATA_DIRECTORY [IDLE_MS]');
const { serveDirectory } = await import('./serve-directory.ts');
await serveDirectory(directory, idleMs === undefined ? 600_000 : Number(idleMs));
