import type { Command } from 'commander';
import type { Terminal } from '../process/terminal.ts';

/** What a run of the command line is about: where it writes, and what it ends with. */
export interface Cli {
  readonly terminal: Terminal;
  code: number;
}

/** Adds a group of commands to the program, one file each. `named`: whether the command line is about it; what takes time to add may wait for that. */
export type Commands = (program: Command, cli: Cli, named: (group: string) => boolean) => void | Promise<void>;
