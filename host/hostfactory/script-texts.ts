import { scriptNames, type Dialect, type ScriptName } from './script-call.ts';

export interface ScriptFile {
  readonly name: string;
  readonly content: string;
}

/** How the scripts reach the program. */
export interface Program {
  /** Absolute path of the launcher, for shells. */
  readonly launcher: string;
  /** What a batch file calls: the program by its absolute path, or `muster` on the path. */
  readonly windows: string;
}

/** Every script, for shells and for Windows. They only hand their arguments on, so a new version of muster needs no new scripts. */
export const scriptFiles = (program: Program, dialect: Dialect): readonly ScriptFile[] =>
  scriptNames.flatMap((name) => [
    { name: `${name}.sh`, content: shell(name, program, dialect) },
    { name: `${name}.bat`, content: batch(name, program, dialect) },
  ]);

const shell = (name: ScriptName, { launcher }: Program, dialect: Dialect): string =>
  [
    '#!/bin/sh',
    '# Made by `muster hostfactory install`.',
    `exec ${quoted(launcher)} hostfactory ${name} --dialect ${dialect} "$@"`,
    '',
  ].join('\n');

const batch = (name: ScriptName, { windows }: Program, dialect: Dialect): string =>
  [
    '@echo off',
    'rem Made by `muster hostfactory install`.',
    `call ${windows} hostfactory ${name} --dialect ${dialect} %*`,
    'exit /b %ERRORLEVEL%',
    '',
  ].join('\r\n');

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
