// Node itself uses the compile cache that the environment names.
const [directory, idleMs] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: process DATA_DIRECTORY [IDLE_MS]');
const { serveDirectory } = await import('./serve-directory.ts');
await serveDirectory(directory, idleMs === undefined ? 600_000 : Number(idleMs));
