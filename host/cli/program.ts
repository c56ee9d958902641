import { Command, CommanderError } from 'commander';
import { thisPackage } from '../process/this-package.ts';
import { processTerminal, type Terminal } from '../process/terminal.ts';
import { completionCommand } from './commands/completion.ts';
import { addExamples } from './examples.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';
import { hostfactoryCommands } from './commands/hostfactory.ts';
import { doctorCommand } from './commands/setup/doctor.ts';
import { initCommand } from './commands/setup/init.ts';
import { mcpCommands } from './commands/mcp.ts';
import { operationGroupCommands } from './operations/operation-groups.ts';
import { optionsLast } from './options-last.ts';
import { pluginsCommands } from './commands/plugins.ts';
import { serverCommands } from './commands/server/server.ts';
import { simulatorCommands } from './commands/simulator.ts';
import { storageCommands } from './commands/storage/storage.ts';
import { unknownCommand } from './unknown-command.ts';
import type { Cli, Commands } from './cli.ts';

const groups: readonly Commands[] = [
  initCommand,
  doctorCommand,
  operationGroupCommands,
  pluginsCommands,
  serverCommands,
  hostfactoryCommands,
  mcpCommands,
  simulatorCommands,
  storageCommands,
  completionCommand((cli) => programOf(cli, () => true)),
];

/** Runs the command line. Returns the exit code. A server in the foreground continues to run. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const cli: Cli = { terminal, code: exitCodes.done };
  const given = optionsLast(argv);
  const words = given.slice(2).filter((word) => !word.startsWith('-'));
  const group = words[0] === 'help' ? words[1] : words[0];
  try {
    const program = await programOf(cli, (name) => name === group);
    const problem = unknownCommand(program, given.slice(2));
    if (problem !== undefined) {
      terminal.err(`${problem}\n`);
      return exitCodes.usage;
    }
    await program.parseAsync(given);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return reportFailure(error, terminal);
  }
  return cli.code;
}

/** Creates the program, with the commands of the named groups. */
export async function programOf(cli: Cli, named: (group: string) => boolean): Promise<Command> {
  const program = new Command(thisPackage.name)
    .description(
      'A resource broker: requests machines from cloud provider instances by templates, tracks them and releases them.',
    )
    .version(thisPackage.version, '-V, --version', 'Show the version.')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand('help [command]', 'Show help for a command.')
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/^\[options\] ?/, '')}`.trim(),
    })
    .configureOutput({ writeOut: cli.terminal.out, writeErr: cli.terminal.err })
    .addHelpText(
      'after',
      `\nExit codes:\n${exitMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`).join('\n')}`,
    )
    .showSuggestionAfterError()
    .exitOverride();
  addExamples(program, [
    ['muster templates list', 'the templates for requests'],
    ['muster requests create small 3 --wait', 'three machines; returns when they run'],
    ['muster machines list', 'the active machines'],
  ]);
  for (const add of groups) await add(program, cli, named);
  return program;
}
