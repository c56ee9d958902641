import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Dialect } from '../client/script-call.ts';
import { makeDirectory, putFile, readPlainFile } from './put-file.ts';
import { registrations, withEntry, type Registration } from './registration.ts';
import { scriptFiles, type Program } from '../client/script-texts.ts';

export interface InstallOptions {
  readonly directory: string;
  readonly dialect: Dialect;
  /** The scheduler's name of the provider. */
  readonly name: string;
  /** The scheduler's configuration directory, to be written into. Absent: what belongs there is only said. */
  readonly write?: string;
}

/** What was done, and what is left to do, for the person who asked. */
export interface Installed {
  readonly scripts: readonly string[];
  readonly registrations: readonly Registration[];
  /** Files of the scheduler that were written. */
  readonly written: readonly string[];
}

const namePattern = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * Writes the scripts straight into a directory, and registers them with the scheduler where that is wanted. Installing
 * again changes nothing else.
 */
export function install(options: InstallOptions): Installed {
  const { directory, dialect, name, write } = options;
  if (!namePattern.test(name))
    throw new BrokerError(
      'INVALID_REQUEST',
      `'${name}' cannot name a provider: up to 64 letters, digits, '-' and '_' can.`,
    );
  const scripts = resolve(directory);
  const entries = registrations({ dialect, name, scripts });
  // What cannot be registered is found out before anything is written.
  const files = write === undefined ? [] : entries.map((entry) => merged(resolve(write), entry));
  makeDirectory(scripts);
  const made = scriptFiles(programHere(), dialect);
  for (const { name: file, content } of made) putFile(join(scripts, file), content, 0o755);
  for (const { path, content } of files) putFile(path, content);
  const conf = write === undefined ? [] : [resolve(write, dialect === 'lsf' ? `${name}/conf` : `providers/${name}`)];
  // The scheduler passes over a provider whose configuration directory is missing.
  for (const each of conf) makeDirectory(each);
  return {
    scripts: made.map(({ name: file }) => join(scripts, file)),
    registrations: entries,
    written: files.map(({ path }) => path),
  };
}

/** The program that runs, as the scripts call it. */
function programHere(): Program {
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../../../..', import.meta.url));
  const { execPath, argv } = process;
  // What came with the package the launcher finds by itself, also after an update.
  const node = /node_modules\/node-[^/]+\/bin\/node$/.test(execPath) ? {} : { node: execPath };
  return { launcher: join(root, 'host/bin/muster'), ...node, windows: [execPath, resolve(argv[1] ?? '')] };
}

function merged(directory: string, entry: Registration): { readonly path: string; readonly content: string } {
  const path = join(directory, entry.file);
  const text = readPlainFile(path);
  const content = withEntry(text === undefined ? undefined : parsed(path, text), entry);
  if (!content)
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `${path} has no list '${entry.list}'; nothing was written. Mend it, or move it away.`,
    );
  return { path, content: `${JSON.stringify(content, null, 2)}\n` };
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BrokerError(
      'PARSE_ERROR',
      `${path} cannot be read (${reason}); nothing was written.`,
      { file: path },
      { cause },
    );
  }
}
