import { scriptNames, type Dialect, type ScriptName } from './script-call.ts';

export interface ScriptFile {
  readonly name: string;
  readonly content: string;
}

/** How the scripts reach the program. */
export interface Program {
  /** Absolute path of the launcher, for shells. */
  readonly launcher: string;
  /**
   * The Node that the launcher takes when none came with the package: a daemon's path often has none, or an old one.
   */
  readonly node?: string;
  /** What a batch file calls: Node with the program, by their absolute paths, since no launcher is a program there. */
  readonly windows: readonly [node: string, main: string];
}

/**
 * Every script, for shells and for Windows. They only hand their arguments on, so a new version of muster needs no new
 * scripts.
 */
export const scriptFiles = (program: Program, dialect: Dialect): readonly ScriptFile[] =>
  scriptNames.flatMap((name) => [
    { name: `${name}.sh`, content: shell(name, program, dialect) },
    { name: `${name}.bat`, content: batch(name, program, dialect) },
  ]);

const made = 'Made by `muster hostfactory install`.';

/** Needs nothing but the shell, and answers in JSON also when muster is not there any more. */
const shell = (name: ScriptName, { launcher, node }: Program, dialect: Dialect): string => {
  const message = goneMessage(launcher);
  return [
    '#!/bin/sh',
    `# ${made}`,
    `muster=${quoted(launcher)}`,
    `[ -x "$muster" ] || { printf '%s\\n' ${quoted(JSON.stringify({ message }))}; exit 1; }`,
    ...(node === undefined ? [] : [`muster_node=${quoted(node)}; export muster_node`]),
    `exec "$muster" hostfactory ${name} --dialect ${dialect} "$@"`,
    '',
  ].join('\n');
};

/** No parentheses and no percent signs: they would end the block that it stands in, or be read as a variable. */
const notThere = 'muster is not there any more. Install it again, then the scripts with: muster hostfactory install';

const batch = (name: ScriptName, { windows }: Program, dialect: Dialect): string => {
  const [, main] = windows;
  return [
    '@echo off',
    `rem ${made}`,
    `if not exist ${inBatch(main)} (echo ${JSON.stringify({ message: notThere })}& exit /b 1)`,
    `${windows.map(inBatch).join(' ')} hostfactory ${name} --dialect ${dialect} %*`,
    'if not %ERRORLEVEL%==0 exit /b 1',
    'exit /b 0',
    '',
  ].join('\r\n');
};

const goneMessage = (program: string): string =>
  `${program} is not there any more. Install muster again, then the scripts with: muster hostfactory install`;

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
/** Within quotes a percent sign alone means something. */
const percentSigns = (text: string): string => text.replaceAll('%', '%%');
const inBatch = (path: string): string => `"${percentSigns(path)}"`;
