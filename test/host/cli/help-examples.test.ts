import test from 'ava';
import type { Command } from 'commander';
import { readInput } from '../../../core/operations/read-input.ts';
import { operations, type Operations } from '../../../core/operations/registry.ts';
import { formsOf } from '../../../host/cli/command-forms.ts';
import { commandTree, nodesOf, type CommandNode } from '../../../host/cli/commands/completion-script.ts';
import { optionsLast } from '../../../host/cli/options-last.ts';
import { programOf } from '../../../host/cli/program.ts';
import { readTexts } from '../../../host/cli/operations/read-texts.ts';

let written = '';
const terminal = {
  out: (text: string) => void (written += text),
  err() {},
  outIsScreen: false,
  errIsScreen: false,
  colors: false,
};
const whole = (): Promise<Command> => programOf({ terminal, code: 0 }, () => true);

/** The calls in the last part of a help page, without what is said of them. */
function examplesIn(help: string): string[] {
  const [head = '', ...lines] = (help.trimEnd().split('\n\n').at(-1) ?? '').split('\n');
  if (!/^Examples?:$/.test(head)) return [];
  return lines.flatMap((line) => /\bmuster (?:(?!\)| {2,}| > ).)+/.exec(line)?.[0].trim() ?? `unread: ${line}`);
}

/** As a shell reads them. */
const wordsOf = (call: string): string[] =>
  [...call.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

async function helpOf({ command }: CommandNode): Promise<string> {
  written = '';
  command.outputHelp();
  return written;
}

test.serial('the help of every command ends with an example of it', async (t) => {
  const nodes = nodesOf(commandTree(await whole()));
  t.true(nodes.length > 60);
  for (const node of nodes) {
    const calls = examplesIn(await helpOf(node));
    t.true(calls.length > 0, `muster ${node.path}: no example at the end`);
    for (const call of calls)
      t.true(`${call} `.startsWith(`muster ${node.path} `.replace('  ', ' ')), `muster ${node.path}: ${call}`);
  }
});

test.serial(
  'every example is a command line that is understood, with an input that the operation takes',
  async (t) => {
    const nodes = nodesOf(commandTree(await whole()));
    const calls = new Set<string>();
    for (const node of nodes) for (const call of examplesIn(await helpOf(node))) calls.add(call);
    let inputs = 0;
    for (const call of calls) {
      const ran: { readonly path: string; readonly command: Command; readonly args: readonly unknown[] }[] = [];
      // Options of one example are not the next one's.
      const fresh = await whole();
      for (const { path, command, children } of nodesOf(commandTree(fresh)))
        if (children.length === 0)
          command.action((...given: unknown[]) => void ran.push({ path, command, args: given }));
      await t.notThrowsAsync(fresh.parseAsync(optionsLast(['node', ...wordsOf(call)])), call);
      const [reached] = ran;
      if (!reached) return t.fail(call);
      const { path, command, args } = reached;
      const form = formsOf(path.split(' ')[0] ?? '').find((each) => each.command === path);
      // What stands in a file is not there to be read.
      if (!form || 'file' in command.opts() || 'set' in command.opts() || 'all' in command.opts()) continue;
      inputs += 1;
      const operation = operations.find(({ name }) => name === form.operation.name) as Operations[keyof Operations];
      const input = {
        ...readTexts(form.operation, args.slice(0, form.operation.args.length), command.opts()),
        ...form.preset,
      };
      t.notThrows(() => readInput(operation as never, input), call);
    }
    t.true(inputs > 25, String(inputs));
  },
);
