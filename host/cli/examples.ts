import type { Command } from 'commander';

/** A call as it is typed, and what it does where that needs saying. */
export type Example = readonly [call: string, does?: string];

const given = new WeakMap<Command, readonly Example[]>();

/** The examples with which the help of a command ends. */
export const examplesOf = (command: Command): readonly Example[] => given.get(command) ?? [];

/** Ends the help of a command with examples. Call it after whatever else is added to that help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  given.set(command, examples);
  const widest = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, does]) => (does === undefined ? `  ${call}` : `  ${call.padEnd(widest)}   ${does}`));
  command.addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`);
}
