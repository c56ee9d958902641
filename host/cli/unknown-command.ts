import type { Command } from 'commander';
import { nearest } from '../../core/schema/spelling.ts';
import { earlyOptions } from './options-last.ts';

const help = ['-h', '--help'];
const version = ['-V', '--version'];

/**
 * What is wrong with how a command line begins, where the parser would say less: an option before the command that none has there, or help for a command
 * that there is not. Both name the nearest that there is.
 */
export function unknownCommand(program: Command, args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (first.startsWith('-') && ![...help, ...version].includes(first)) {
    if (earlyOptions.includes(first)) return `error: option '${first}' stands before the command with nothing after it`;
    return `error: unknown option '${first}'${suggestion(first, [...earlyOptions, ...help, ...version])}`;
  }
  if (!args.slice(0, 2).includes('help') && !help.some((flag) => args.includes(flag))) return undefined;
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, end < 0 ? undefined : end).filter((word) => word !== 'help');
  let command = program;
  for (const word of words) {
    // What follows a command that has no others is its own.
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
