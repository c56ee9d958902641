import { Option, type Command } from 'commander';
import type { LoadedConfiguration } from '../../../config/load.ts';
import { isError, type Finding } from '../../../core/contract/findings.ts';
import { codeOf, exitCodes } from '../exit-codes.ts';
import { addExamples } from '../examples.ts';
import { forms, print, type Form } from '../output/print.ts';
import type { Cli } from '../cli.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

/** `muster config validate` */
export function addConfigValidate(group: Command, cli: Cli): void {
  const command = group
    .command('validate')
    .description('Check the configuration and print all findings. Connects to no provider and no server.')
    .option('--config <file>', 'Configuration file. Default: the file that the search finds.')
    .addOption(new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table'))
    .action(async ({ config, output }: Flags) => {
      const { loadConfiguration } = await import('../../../config/load.ts');
      const options = {
        cwd: process.cwd(),
        env: process.env,
        files: 'required' as const,
        ...(config === undefined ? {} : { file: config }),
      };
      const verdict = await loadConfiguration(options).then(verdictOn, refused);
      await print('validate_configuration', verdict, output, cli.terminal);
      cli.code = verdict.valid ? exitCodes.done : exitCodes.refused;
    });
  addExamples(command, [['muster config validate --config muster.config.yaml']]);
}

interface Verdict {
  readonly valid: boolean;
  readonly file: string | null;
  readonly findings: readonly Finding[];
}

const verdictOn = ({ file, findings }: LoadedConfiguration): Verdict => ({
  valid: true,
  file: file ?? null,
  findings,
});

function refused(error: unknown): Verdict {
  const findings = (error as { readonly details?: Readonly<Record<string, unknown>> }).details?.['findings'] as
    | readonly Finding[]
    | undefined;
  if (codeOf(error) !== 'INVALID_CONFIGURATION' || !findings) throw error;
  const file = (error as { readonly details: Readonly<Record<string, unknown>> }).details['file'] as
    | string
    | undefined;
  return { valid: !findings.some(isError), file: file ?? null, findings };
}
