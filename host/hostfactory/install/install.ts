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
  /** The name of the provider in the scheduler. */
  readonly name: string;
  /**
   * The scheduler's configuration directory, in which the scripts are registered. Absent: the registration is only
   * returned.
   */
  readonly write?: string;
}

/** The result of an installation, for the person who installs. */
export interface Installed {
  readonly scripts: readonly string[];
  readonly registrations: readonly Registration[];
  /** Files of the scheduler that were changed. */
  readonly written: readonly string[];
}

const namePattern = /^[0-9A-Za-z_-]{1,64}$/;

/** Writes the scripts into a directory and, with `write`, registers them with the scheduler. Idempotent. */
export function install(options: InstallOptions): Installed {
  const { directory, dialect, name, write } = options;
  if (!namePattern.test(name))
    throw new BrokerError(
      'INVALID_REQUEST',
      `'${name}' is not a valid provider name: use up to 64 letters, digits, '-' and '_'.`,
    );
  const scripts = resolve(directory);
  const entries = registrations({ dialect, name, scripts });
  // Checked before anything is written.
  const files = write === undefined ? [] : entries.map((entry) => merged(resolve(write), entry));
  makeDirectory(scripts);
  const created = scriptFiles(programHere(), dialect);
  for (const { name: file, content } of created) putFile(join(scripts, file), content, 0o755);
  for (const { path, content } of files) putFile(path, content);
  const providerDirectories =
    write === undefined ? [] : [resolve(write, dialect === 'lsf' ? `${name}/conf` : `providers/${name}`)];
  // The scheduler ignores a provider whose configuration directory is missing.
  for (const each of providerDirectories) makeDirectory(each);
  return {
    scripts: created.map(({ name: file }) => join(scripts, file)),
    registrations: entries,
    written: files.map(({ path }) => path),
  };
}

/** The running program, as the scripts call it. */
function programHere(): Program {
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../../../..', import.meta.url));
  const { execPath, argv } = process;
  // The launcher finds the Node of the package by itself, also after an update.
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
      `${path} has no list '${entry.list}'; nothing was written. Correct the file, or move it away.`,
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
