import { Command } from 'commander';
import { thisPackage } from '../package.ts';
import { exitCodes } from './exit-codes.ts';
import { fail } from './fail.ts';
import { serverCommands } from './server.ts';
import { simulatorCommands } from './simulator.ts';

/** Adds a group of commands to the program. One file each. */
export type Commands = (program: Command) => void;

const groups: readonly Commands[] = [serverCommands, simulatorCommands];

/** Runs the command line to its end. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command(thisPackage.name)
    .description('A resource broker: hands out machines from templates through cloud provider instances, follows them and takes them back.')
    .version(thisPackage.version, '-V, --version', 'Show the version.')
    .helpOption('-h, --help', 'Show help.')
    .showSuggestionAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage));
  for (const add of groups) add(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    fail(error);
  }
}
