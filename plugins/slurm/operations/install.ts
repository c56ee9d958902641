import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { serviceOperation } from '../../../core/index.ts';
import { snippet } from '../program/snippet.ts';
import type { SlurmSettings } from '../settings.ts';

const program = fileURLToPath(
  new URL(`../program/slurm-program.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
);
/** An absolute path without control characters: a line break would end what the script prints. */
const oneLine = '^/[^\\x00-\\x1f\\x7f]*$';
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const install = serviceOperation<SlurmSettings>()({
  name: 'slurm_install',
  kind: 'query',
  summary:
    'Print a shell script that writes the programs which slurmctld calls, and the lines for slurm.conf: pipe it into sh.',
  input: Type.Object(
    {
      directory: Type.String({
        minLength: 2,
        // It stands in slurm.conf, where blanks end a value and # begins a comment.
        pattern: '^/[A-Za-z0-9._/+@-]*$',
        description: 'The directory of the programs, absolute, without blanks and quotes.',
      }),
      data_directory: Type.Optional(
        Type.String({ minLength: 2, pattern: oneLine, description: 'The data directory of the server, absolute.' }),
      ),
      log: Type.Optional(Type.String({ pattern: oneLine, description: 'The log of the programs, absolute.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    files: Type.Array(Type.Object({ path: Type.String(), content: Type.String(), mode: Type.String() })),
    snippet: Type.String({ description: 'The lines for slurm.conf.' }),
  }),
  cli: {
    command: 'slurm install',
    args: ['directory'],
    example: 'muster slurm install /opt/muster/slurm --data-directory /var/lib/muster | sh',
  },
  async handle({ directory, data_directory, log }, { settings }) {
    const at = data_directory ?? `${process.cwd()}/data`;
    const logged = log ?? `${directory}/muster.log`;
    const scripts = ['resume', 'suspend', 'resume-fail'].map((verb) => ({
      path: `${directory}/${verb}`,
      mode: '755',
      content: `#!/bin/sh
# Written by muster slurm install. slurmctld calls it with a hostlist.
exec ${quoted(process.execPath)} --disable-warning=ExperimentalWarning ${quoted(program)} ${verb} ${quoted(at)} "$@" </dev/null >>${quoted(logged)} 2>&1
`,
    }));
    const text = snippet(settings, directory);
    return {
      files: [...scripts, { path: `${directory}/slurm.conf.part`, mode: '644', content: text }],
      snippet: text,
    };
  },
  text: ({ files, snippet: lines }) =>
    [
      '# Pipe this into sh.',
      'set -e',
      ...files.flatMap(({ path, content, mode }) => [
        `mkdir -p ${quoted(path.replace(/\/[^/]*$/, ''))}`,
        `cat > ${quoted(path)} <<'END_OF_FILE'`,
        `${content}END_OF_FILE`,
        `chmod ${mode} ${quoted(path)}`,
      ]),
      `cat <<'END_OF_FILE'`,
      '# Add these lines to slurm.conf, adapt what describes the machines, and run scontrol reconfigure:',
      `${lines}END_OF_FILE`,
      '',
    ].join('\n'),
});
