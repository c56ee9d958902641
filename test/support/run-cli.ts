import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { run } from '../../host/cli/program.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command line in this process, with what it wrote. */
export async function runCli(
  args: readonly string[],
  screen: { readonly out?: boolean; readonly err?: boolean } = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await run(['node', 'muster', ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    outIsScreen: screen.out ?? false,
    errIsScreen: screen.err ?? false,
    colors: screen.out ?? false,
  });
  return { code, out, err };
}

export const launcher = join(import.meta.dirname, '../../host/bin/muster');

/** The real process, as a person starts it. */
export function execCli(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ran> {
  const env = { ...process.env, ...options.env };
  return new Promise((resolve) => {
    execFile(launcher, args, { cwd: options.cwd, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}
