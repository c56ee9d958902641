import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launcher } from '../bench/processes/broker.ts';
import { until } from '../support/boot-broker.ts';

export interface LoadedServer {
  readonly pid: number;
  readonly errors: () => string;
  /** How it ended: 0, or what else. */
  readonly ended: Promise<number | string>;
  signal(signal: NodeJS.Signals): void;
}

const heapHook = pathToFileURL(join(import.meta.dirname, 'heap-hook.ts')).href;

/** The broker as a person starts it, on this port. `heap`: where every thread writes down what it keeps. */
export async function startServer(directory: string, port: number, heap?: string): Promise<LoadedServer> {
  const hooked =
    heap === undefined
      ? {}
      : { HEAP_FILE: heap, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${heapHook}` };
  const child = spawn(launcher, ['server', 'start', '--foreground', '--port', String(port)], {
    cwd: directory,
    env: { ...process.env, MUSTER_DATA_DIR: directory, ...hooked },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const ended = new Promise<number | string>(
    (resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  const gone = ended.then((how) => {
    throw new Error(`The server ended with ${how} at its start: ${errors}`);
  });
  await Promise.race([gone, until(() => answers(port))]);
  gone.catch(() => undefined);
  return { pid: child.pid ?? 0, errors: () => errors, ended, signal: (signal) => void child.kill(signal) };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
