import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { formsOf, type CommandForm } from '../command-forms.ts';
import { addExamples } from '../examples.ts';
import { addFileInputs, withFile, type FileFlags } from './file-inputs.ts';
import { addInputs } from './input-options.ts';
import { optionOf } from '../option-names.ts';
import { readTexts, UsageError } from './read-texts.ts';
import { addReturnAll, returnAllCall, returnsAll, type ReturnAllFlags } from './return-all.ts';
import type { Call, RunFlags } from './run-operation.ts';
import type { Cli } from '../cli.ts';
import type { DeclaredOperation } from './declared-operations.ts';
import { codeOf } from '../exit-codes.ts';

type Flags = RunFlags & FileFlags & ReturnAllFlags & Readonly<Record<string, unknown>>;

/** Adds the operations of a group to its command. */
export function addOperationCommands(group: Command, cli: Cli): void {
  for (const form of formsOf(group.name())) addOperationCommand(group, form, cli);
}

/** The commands that run when only their group is named. */
const defaults: ReadonlySet<string> = new Set(['events list', 'usage show']);

function addOperationCommand(group: Command, form: CommandForm, cli: Cli): void {
  const { operation, preset, summary, example } = form;
  const isDefault = defaults.has(form.command);
  const command = group.command(form.command.split(' ').slice(1).join(' '), { isDefault }).description(summary);
  addInputs(command, operation, Object.keys(preset));
  addFileInputs(command, operation);
  if (returnsAll(operation)) addReturnAll(command);
  addCommonOptions(command, operation);
  if (operation.name === 'get_configuration')
    command.option('--local', 'Call no server: show the configuration that a server started here would use.');
  if (operation.name === 'list_events')
    command.option('-f, --follow', 'Print each event as it happens, until Ctrl-C.');
  addExamples(command, [[example]]);
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, operation.args.length);
    const flags = command.opts<Flags>();
    const { runOperation } = await import('./run-operation.ts');
    try {
      const calls = await callsOf(form, args, flags, (sentence) => cli.terminal.err(`muster: warning: ${sentence}\n`));
      const [first] = calls;
      if (flags['follow'] === true && first) {
        const { printEvents } = await import('./watching/print-events.ts');
        cli.code = await printEvents(first.input, { ...flags, server: flags.server ?? true }, cli.terminal);
        return;
      }
      cli.code = await runOperation(calls, form, { ...flags, server: flags.server ?? true }, cli.terminal);
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      throw renameInputs(error, operation);
    }
  });
}

/** Returns the calls: one, or one for each template of a file when the operation only checks templates. */
async function callsOf(
  { operation, preset }: CommandForm,
  args: readonly unknown[],
  flags: Flags,
  warn: (sentence: string) => void,
): Promise<Call[]> {
  const given = { ...operation.defaults, ...readTexts(operation, args, flags), ...preset };
  if (returnsAll(operation) && flags.all) return [returnAllCall(given, flags)];
  const inputs = await withFile(operation, given, flags, warn);
  for (const input of inputs) requireInputs(operation, input);
  return inputs.map((input) => ({ operation, input }));
}

/** Throws UsageError for required inputs that are missing. */
export function requireInputs(
  { input: { required = [], properties }, args }: CommandForm['operation'],
  input: Readonly<Record<string, unknown>>,
): void {
  const missing = required.filter((name) => input[name] === undefined);
  if (missing.length > 0) {
    const named = missing.map((name) => (args.includes(name) ? `argument '${name}'` : `option '${optionOf(name)}'`));
    throw new UsageError(`missing required ${named.join(' and ')}`);
  }
  // The operation itself requires the confirmation; the command line checks it before any call.
  if ('confirm' in properties && input['confirm'] !== true)
    throw new UsageError('this command returns every machine; add --force');
}

/**
 * Replaces the JSON pointers of inputs in an error message by the names of the command line: `/machine_count` by
 * `machine_count`, `/timeout` by `--timeout`. Changes and returns the error.
 */
export function renameInputs(error: unknown, { input, args }: DeclaredOperation): unknown {
  if (!(error instanceof Error) || codeOf(error) === undefined) return error;
  error.message = error.message.replaceAll(/(^|; )\/([a-z_]+)(?=[/:])/g, (whole, before: string, name: string) => {
    if (!(name in input.properties)) return whole;
    return `${before}${args.includes(name) ? name : optionOf(name)}`;
  });
  return error;
}
