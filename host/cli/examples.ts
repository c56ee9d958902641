import type { Command } from 'commander';

/** A command line, and its effect when the line is not self-explanatory. */
export type Example = readonly [call: string, does?: string];

const given = new WeakMap<Command, readonly Example[]>();

/** Returns the examples in the help of a command. */
export const examplesOf = (command: Command): readonly Example[] => given.get(command) ?? [];

/** Appends examples to the help of a command. Call it after all other additions to the help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  given.set(command, examples);
  const widest = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, does]) =>
    does === undefined ? `  ${call}` : `  ${call.padEnd(widest)}   ${does}`,
  );
  command.addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`);
}
