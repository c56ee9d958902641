import type { Command } from 'commander';
import { nearest } from '../../core/schema/spelling.ts';
import { earlyOptions } from './options-last.ts';

const help = ['-h', '--help'];
const version = ['-V', '--version'];

/**
 * Returns an error for the beginning of a command line where the parser would report less: an unknown option before
 * the command, or help for an unknown command. The error suggests the nearest known name. Undefined when there is no
 * such error.
 */
export function unknownCommand(program: Command, args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (first.startsWith('-') && ![...help, ...version].includes(first)) {
    if (earlyOptions.includes(first)) return `error: option '${first}' has no command after it`;
    return `error: unknown option '${first}'${suggestion(first, [...earlyOptions, ...help, ...version])}`;
  }
  if (!args.slice(0, 2).includes('help') && !help.some((flag) => args.includes(flag))) return undefined;
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, end < 0 ? undefined : end).filter((word) => word !== 'help');
  let command = program;
  for (const word of words) {
    // The words after a command without subcommands are its arguments.
    if (command.commands.length === 0) return undefined;
    const next = command.commands.find((each) => each.name() === word);
    if (!next)
      return `error: unknown command '${word}'${suggestion(
        word,
        command.commands.map((each) => each.name()),
      )}`;
    command = next;
  }
  return undefined;
}

function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `\n(Did you mean ${near}?)`;
}
