import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A commit of the broker at which it is killed: the nth of a thread from now on, just before or after it is durable. */
export interface Armed {
  readonly thread: 'interfaces' | 'loop';
  readonly nth: number;
  readonly phase: 'before' | 'after';
}

const commitFile = (directory: string): string => join(directory, 'kill-at-commit');
const scontrolFile = (directory: string): string => join(directory, 'kill-at-scontrol');
const programFile = (directory: string): string => join(directory, 'kill-program');

function put(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** Arms what shall be killed next. Each file is read by the process that it concerns. */
export const arm = {
  commit: (directory: string, point: Armed): void => put(commitFile(directory), JSON.stringify(point)),
  /** The broker, at its next change of a node: before scontrol runs, or when it ended and nobody read its answer. */
  scontrol: (directory: string, phase: Armed['phase']): void => put(scontrolFile(directory), `${phase}\n`),
  /** The next program that slurmctld calls, so many milliseconds after its start. */
  program: (directory: string, ms: number): void => put(programFile(directory), `${ms / 1000}\n`),
};

export function disarm(directory: string): void {
  for (const file of [commitFile, scontrolFile, programFile]) rmSync(file(directory), { force: true });
}

/** Whether a program was killed since the last `arm.program`. */
export const isProgramArmed = (directory: string): boolean => existsSync(programFile(directory));

/** What the environment of a broker needs to be killed at a commit. */
export const armedEnvironment = (directory: string): Readonly<Record<'ARMED_FILE' | 'NODE_OPTIONS', string>> => ({
  ARMED_FILE: commitFile(directory),
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${pathToFileURL(join(import.meta.dirname, 'kill-when-armed.ts')).href}`,
});

/** Writes a scontrol that kills the broker when it is armed. Returns its directory. */
export function writeScontrol(directory: string): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  const armed = scontrolFile(directory);
  script(
    join(bin, 'scontrol'),
    `scontrol=$(PATH=${process.env['PATH']} command -v scontrol)
if [ "$1" = update ] && mv '${armed}' '${armed}.met' 2>/dev/null; then
  read -r phase <'${armed}.met'
  [ "$phase" = before ] || "$scontrol" "$@"
  kill -9 $PPID
  exit 1
fi
exec "$scontrol" "$@"
`,
  );
  script(join(bin, 'squeue'), `exec "$(PATH=${process.env['PATH']} command -v squeue)" "$@"\n`);
  return bin;
}

/** Puts a script before each installed program that kills it when it is armed. */
export function coverPrograms(directory: string): void {
  const armed = programFile(directory);
  for (const verb of ['resume', 'suspend', 'resume-fail']) {
    const program = join(directory, 'programs', verb);
    renameSync(program, `${program}.whole`);
    script(
      program,
      `if mv '${armed}' '${armed}.met' 2>/dev/null; then
  read -r after <'${armed}.met'
  '${program}.whole' "$@" &
  sleep "$after"
  kill -9 $!
  exit 0
fi
exec '${program}.whole' "$@"
`,
    );
  }
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${text}`);
  chmodSync(file, 0o755);
}
