import { Argument, Option, type Command } from 'commander';
import type { DeclaredOperation, FieldSchema } from './declared-operations.ts';
import { optionOf, kebabCase } from '../option-names.ts';

/** How a field is written on the command line. */
export type Manner = 'flag' | 'list' | 'map' | 'value';

export function mannerOf({ type }: FieldSchema): Manner {
  if (type === 'boolean') return 'flag';
  if (type === 'array') return 'list';
  return type === 'object' ? 'map' : 'value';
}

const placeholder: Readonly<Record<Exclude<Manner, 'flag'>, (name: string) => string>> = {
  list: () => '<a,b…>',
  map: () => '<key=value or JSON>',
  value: (name) => (name.endsWith('_id') ? '<id>' : '<value>'),
};

/** The spellings of a field as options, its own first. */
export function spellingsOf(field: string, { aliases = [] }: FieldSchema): readonly string[] {
  return [...new Set([optionOf(field), ...[field, ...aliases].map((name) => `--${kebabCase(name)}`)])];
}

/**
 * Gives a command the inputs of an operation: arguments by their place, everything else as options. Aliases, and arguments as options, are taken and
 * not shown. `fixed` are those that the command sets by itself.
 */
export function addInputs(command: Command, { input, args }: DeclaredOperation, fixed: readonly string[]): void {
  const required = new Set(input.required);
  const shown: string[] = [];
  for (const name of args) {
    const field = input.properties[name] ?? {};
    const written = mannerOf(field) === 'list' ? `${name}...` : name;
    // What is missing is found out later: it may come as an option, or in a file.
    command.addArgument(new Argument(`[${written}]`, described(field)));
    shown.push(required.has(name) ? `<${written}>` : `[${written}]`);
  }
  command.usage(['[options]', ...shown].join(' '));
  const own = Object.keys(input.properties);
  for (const [name, field] of Object.entries(input.properties)) {
    if (fixed.includes(name)) continue;
    // A field's own name always wins over another field's alias.
    const spellings = spellingsOf(name, field).filter(
      (each, place) => place === 0 || !own.some((other) => other !== name && optionOf(other) === each),
    );
    for (const [place, spelling] of spellings.entries()) {
      // What is done anyway may be asked for all the same.
      if (field.default === true) command.addOption(new Option(spelling).hideHelp());
      const option = optionFor(spelling, name, field);
      command.addOption(place > 0 || args.includes(name) ? option.hideHelp() : option);
    }
  }
}

function optionFor(spelling: string, name: string, field: FieldSchema): Option {
  const manner = mannerOf(field);
  if (manner === 'flag' && field.default === true) return new Option(`--no-${spelling.slice(2)}`, `Turns off: ${described(field)}`);
  if (manner === 'flag') return new Option(spelling, described(field));
  const option = new Option(`${spelling} ${placeholder[manner](name)}`, described(field));
  if (manner !== 'value') return option.argParser((text: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), text]);
  return field.enum ? oneOf(option, field.enum.map(String), field.value_aliases ?? {}) : option;
}

/** The choices are shown in their own spelling; others of the field are taken. */
function oneOf(option: Option, choices: readonly string[], spellings: Readonly<Record<string, string>>): Option {
  option.choices(choices);
  const { parseArg } = option;
  return option.argParser((text: string, earlier: unknown) =>
    parseArg?.(Object.hasOwn(spellings, text) ? (spellings[text] as string) : text, earlier),
  );
}

/** What a field means, and its default. */
export function described({ description = '', default: fallback }: FieldSchema): string {
  return fallback === undefined || typeof fallback === 'boolean' ? description : `${description} (default: ${String(fallback)})`;
}
