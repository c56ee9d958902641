import { useFastLoading } from './process/fast-loading.ts';
import { tooOldNode } from '../core/node/too-old-node.ts';

const problem = tooOldNode(process);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
useFastLoading();
const [, , command, script = ''] = process.argv;
if (command === 'hostfactory' && /^(get|request)[A-Z]/.test(script)) {
  // A scheduler starts a process for every call: so the rest of the command line is not loaded.
  const { runScript } = await import('./hostfactory/client/script-main.ts');
  await runScript(process.argv.slice(3));
} else if (process.argv.length === 3 && (command === '--version' || command === '-V')) {
  const { thisPackage } = await import('./process/this-package.ts');
  process.stdout.write(`${thisPackage.version}\n`);
} else {
  const { run } = await import('./cli/program.ts');
  const code = await run(process.argv);
  // A server in the foreground continues to run and sets its own exit code.
  if (code !== 0) process.exitCode = code;
}
