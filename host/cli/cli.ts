import type { Command } from 'commander';
import type { Terminal } from '../process/terminal.ts';

/** The state of one run of the command line: its terminal and its exit code. */
export interface Cli {
  readonly terminal: Terminal;
  code: number;
}

/**
 * Adds a group of commands to the program. `named`: whether the command line names the group; groups that are costly
 * to add may check it.
 */
export type Commands = (program: Command, cli: Cli, named: (group: string) => boolean) => void | Promise<void>;
