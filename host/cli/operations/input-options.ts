import { Argument, Option, type Command } from 'commander';
import type { DeclaredOperation, FieldSchema } from './declared-operations.ts';
import { optionOf, kebabCase } from '../option-names.ts';

/** The form of a field on the command line. */
export type OptionKind = 'flag' | 'list' | 'map' | 'value';

export function optionKindOf({ type }: FieldSchema): OptionKind {
  if (type === 'boolean') return 'flag';
  if (type === 'array') return 'list';
  return type === 'object' ? 'map' : 'value';
}

const placeholder: Readonly<Record<Exclude<OptionKind, 'flag'>, (name: string) => string>> = {
  list: () => '<a,b…>',
  map: () => '<key=value or JSON>',
  value: (name) => (name.endsWith('_id') ? '<id>' : '<value>'),
};

/** Returns the option names of a field, the canonical name first. */
export function spellingsOf(field: string, { aliases = [] }: FieldSchema): readonly string[] {
  return [...new Set([optionOf(field), ...[field, ...aliases].map((name) => `--${kebabCase(name)}`)])];
}

/**
 * Adds the inputs of an operation to a command: positional arguments, and options for all other inputs. Aliases, and
 * options for positional arguments, are accepted but hidden. `fixed`: inputs that the command sets itself.
 */
export function addInputs(command: Command, { input, args }: DeclaredOperation, fixed: readonly string[]): void {
  const required = new Set(input.required);
  const shown: string[] = [];
  for (const name of args) {
    const field = input.properties[name] ?? {};
    const written = optionKindOf(field) === 'list' ? `${name}...` : name;
    // Missing arguments are reported later: they may come from an option or a file.
    command.addArgument(new Argument(`[${written}]`, described(field)));
    shown.push(required.has(name) ? `<${written}>` : `[${written}]`);
  }
  command.usage(['[options]', ...shown].join(' '));
  const own = Object.keys(input.properties);
  for (const [name, field] of Object.entries(input.properties)) {
    if (fixed.includes(name)) continue;
    // The name of a field takes precedence over an alias of another field.
    const spellings = spellingsOf(name, field).filter(
      (each, place) => place === 0 || !own.some((other) => other !== name && optionOf(other) === each),
    );
    for (const [place, spelling] of spellings.entries()) {
      // The positive form of a flag that is on by default is accepted too.
      if (field.default === true) command.addOption(new Option(spelling).hideHelp());
      const option = optionFor(spelling, name, field);
      command.addOption(place > 0 || args.includes(name) ? option.hideHelp() : option);
    }
  }
}

function optionFor(spelling: string, name: string, field: FieldSchema): Option {
  const kind = optionKindOf(field);
  if (kind === 'flag' && field.default === true)
    return new Option(`--no-${spelling.slice(2)}`, `Turns off: ${described(field)}`);
  if (kind === 'flag') return new Option(spelling, described(field));
  const option = new Option(`${spelling} ${placeholder[kind](name)}`, described(field));
  if (kind !== 'value')
    return option.argParser((text: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), text]);
  return field.enum ? oneOf(option, field.enum.map(String), field.value_aliases ?? {}) : option;
}

/** Help shows the canonical values; other spellings are accepted. */
function oneOf(option: Option, choices: readonly string[], spellings: Readonly<Record<string, string>>): Option {
  option.choices(choices);
  const { parseArg } = option;
  return option.argParser((text: string, earlier: unknown) =>
    parseArg?.(Object.hasOwn(spellings, text) ? (spellings[text] as string) : text, earlier),
  );
}

/** Returns the description of a field with its default. */
export function described({ description = '', default: fallback }: FieldSchema): string {
  return fallback === undefined || typeof fallback === 'boolean'
    ? description
    : `${description} (default: ${String(fallback)})`;
}
