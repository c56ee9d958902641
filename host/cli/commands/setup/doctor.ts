import { Option, type Command } from 'commander';
import { printableLine } from '../../../process/printable.ts';
import type { Diagnosis, Report } from '../../../doctor/report.ts';
import { addExamples } from '../../examples.ts';
import { exitCodes } from '../../exit-codes.ts';
import { forms, print, type Form } from '../../output/print.ts';
import type { Cli } from '../../cli.ts';

interface Flags {
  readonly config?: string;
  readonly instance?: string;
  readonly output: Form;
}

/** `muster doctor` */
export function doctorCommand(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .description(
      'Check everything that could stop a request, and say what to do: this host, the configuration, the templates, and each provider instance. Changes nothing.',
    )
    .option('--config <file>', 'Configuration file. Default: the file that the search finds.')
    .option('--instance <name>', 'Check this provider instance alone, besides the host.')
    .addOption(new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table'))
    .action(async ({ config, instance, output }: Flags) => {
      const { doctor } = await import('../../../doctor/doctor.ts');
      const report = await doctor({
        cwd: process.cwd(),
        env: process.env,
        ...(config === undefined ? {} : { file: config }),
        ...(instance === undefined ? {} : { instance }),
      });
      if (output === 'table') cli.terminal.out(textOf(report));
      else await print('doctor', report, output, cli.terminal);
      cli.code = report.ok ? exitCodes.done : exitCodes.failed;
    });
  addExamples(command, [
    ['muster doctor', 'everything'],
    ['muster doctor --instance east --output json', 'one instance, for a program'],
  ]);
}

/** The report for people: one line for each result, and below it what to do. */
function textOf({ ok, errors, warnings, checks }: Report): string {
  const end =
    ok && warnings === 0 ? 'Nothing stands in the way of a request.' : `Errors: ${errors}. Warnings: ${warnings}.`;
  return [...checks.flatMap(linesOf), '', end, ''].join('\n');
}

function linesOf({ check, instance, level, message, why, remedy }: Diagnosis): readonly string[] {
  const where = instance === null ? check : `${instance} ${check}`;
  const head = `${level.padEnd(8)}${where}: ${message}`;
  const lines = remedy === null ? [head] : [head, `${' '.repeat(8)}Why: ${why}`, `${' '.repeat(8)}Do: ${remedy}`];
  return lines.map(printableLine);
}
