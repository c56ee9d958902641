import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { attacked } from '../attack/attacked.ts';
import type { Attack } from './kill-point.ts';

const launcher = join(import.meta.dirname, '../../../host/bin/muster');

/** A broker from its start to its end. */
export interface Life {
  readonly pid: number;
  /** Where it answers; undefined when it ended before it did. */
  readonly url: Promise<string | undefined>;
  /** How it ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly output: () => string;
  signal(signal: NodeJS.Signals): void;
}

/** The process that a person starts, attacked. */
export function startLife(directory: string, how: Attack): Life {
  const child = spawn(launcher, ['server', 'start', '--foreground', '--port', '0'], {
    cwd: directory,
    env: { ...process.env, MUSTER_DATA_DIR: directory, ...attacked(how) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<number | NodeJS.Signals>(
    (resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
  );
  const url = new Promise<string | undefined>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const said = / answers at (\S+)/.exec(output)?.[1];
      if (said !== undefined) resolve(said);
    });
    void ended.then(() => resolve(undefined));
  });
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { pid: child.pid ?? 0, url, ended, output: () => output, signal: (signal) => void child.kill(signal) };
}
