import { enableCompileCache } from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(`muster needs Node 24.12 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
// Everything else is loaded from the cache of an earlier start, stripped and compiled.
enableCompileCache();
const { run } = await import('./cli/program.ts');
await run(process.argv);
