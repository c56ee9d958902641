import type { Command } from 'commander';
import { addExamples } from '../../examples.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printableLine } from '../../../process/printable.ts';
import type { Cli } from '../../cli.ts';

interface Flags {
  readonly directory: string;
  readonly provider?: string;
  readonly plugins?: string;
  readonly name?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly simulated?: boolean;
  readonly endpointUrl?: string;
  readonly network?: string;
  readonly image?: string;
  readonly keyPair?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** `muster init` */
export function initCommand(program: Command, cli: Cli): void {
  const command = program
    .command('init')
    .description(
      'Write a configuration and templates for an account: asks up to five questions, and looks at what the account has. Changes nothing there.',
    )
    .option('--directory <path>', 'Directory of the files.', '.')
    .option('--provider <type>', 'Provider type. Default: cloud.')
    .option('--plugins <names>', 'Plugins beside the built-in ones, with commas: names of packages, or paths.')
    .option('--name <name>', 'Name of the provider instance. Default: the region.')
    .option('--region <name>', 'Region.')
    .option('--profile <name>', 'Profile of the shared configuration and credentials files of AWS.')
    .option('--simulated', 'Set up the simulated cloud of muster instead of an account.')
    .option('--endpoint-url <url>', 'Another endpoint than the public one.')
    .option('--network <id or name>', 'Network of the machines. Default: the default VPC, else the roomiest.')
    .option('--image <id>', 'Image of the machines: an id or resolve:ssm:PARAMETER.')
    .option('--key-pair <name>', 'Key pair for SSH. Default: none.')
    .option('-y, --yes', 'Take the proposal for everything that no option names.')
    .option('--force', 'Replace the files when they exist.')
    .action(async (flags: Flags) => {
      await setUp(flags, cli);
    });
  addExamples(command, [
    ['muster init', 'asks'],
    ['muster init --region eu-west-1 --profile lab --yes', 'takes the proposals'],
    ['muster init --simulated --yes', 'a cloud that costs nothing'],
  ]);
}

async function setUp(flags: Flags, cli: Cli): Promise<void> {
  const { init } = await import('../../../init/init.ts');
  const { QuestionsEnded, questionsFor } = await import('../../../init/questions.ts');
  const { terminal } = cli;
  const { directory, provider, name, region, profile, endpointUrl, network, image, keyPair } = flags;
  try {
    const { files, template_ids } = await init({
      directory,
      ...given({ provider, name, network, image, key_pair: keyPair, endpoint_url: endpointUrl }),
      config: given({ region, profile }),
      plugins: (flags.plugins ?? '').split(',').flatMap((each) => each.trim() || []),
      simulated: flags.simulated ?? false,
      force: flags.force ?? false,
      questions: questionsFor(flags.yes ?? false, Boolean(process.stdin.isTTY) && terminal.outIsScreen),
      env: process.env,
      say: terminal.err,
    });
    const there = directory === '.' ? '' : `cd ${shellWord(directory)} && `;
    terminal.out(
      [
        ...files.map((file) => `Wrote ${file}`),
        `Templates: ${template_ids.join(', ')}`,
        `Next: ${there}muster doctor`,
        `Then: muster requests create ${template_ids[0]} 1 --wait`,
      ]
        .map((line) => `${printableLine(line)}\n`)
        .join(''),
    );
  } catch (error) {
    if (!(error instanceof QuestionsEnded)) throw error;
    terminal.err('No configuration and no templates were written.\n');
    cli.code = exitCodes.interrupted;
  }
}

/** A word as a shell reads it. */
const shellWord = (text: string): string =>
  /^[\w./@%+=][\w./:@%+=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The options that were given. */
const given = <T extends Readonly<Record<string, string | undefined>>>(
  options: T,
): { readonly [K in keyof T]?: string } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: string;
  };
