import type { Terminal } from '../process/terminal.ts';

/** What a run of the command line is about: where it writes, and what it ends with. */
export interface Cli {
  readonly terminal: Terminal;
  code: number;
}
