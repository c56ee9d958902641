import test from 'ava';
import { Command } from 'commander';
import { operations } from '../../../core/operations/registry.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import { commandTree, nodesOf } from '../../../host/cli/commands/completion-script.ts';
import { declarations } from '../../../host/cli/operations/declared-operations.ts';
import { operationGroups } from '../../../host/cli/operations/operation-groups.ts';
import { programOf } from '../../../host/cli/program.ts';

const terminal = { out() {}, err() {}, outIsScreen: false, errIsScreen: false, colors: false };
const whole = (): Promise<Command> => programOf({ terminal, code: 0 }, () => true);

test('every operation is a command of one of the groups', async (t) => {
  const paths = new Set(nodesOf(commandTree(await whole())).map(({ path }) => path));
  for (const { name, cli } of operations as readonly Operation<any, any>[])
    t.true(paths.has(cli?.command ?? ''), `${name}: ${cli?.command}`);
  for (const { command } of declarations().operations)
    t.true(
      operationGroups.some(({ name }) => command.startsWith(`${name} `)),
      command,
    );
});

test('the arguments of a command are inputs, and what must be given can be', async (t) => {
  for (const { command, args, input } of declarations().operations) {
    t.deepEqual(
      args.filter((name) => !(name in input.properties)),
      [],
      command,
    );
  }
});

test('no option of a command means two things', async (t) => {
  for (const { path, command } of nodesOf(commandTree(await whole()))) {
    const flags = command.options.flatMap(({ short, long }) => [short, long].filter(Boolean));
    t.deepEqual(
      flags.filter((flag, place) => flags.indexOf(flag) !== place),
      [],
      path,
    );
  }
});

test('only the commands of the group that is named are made', async (t) => {
  const program = await programOf({ terminal, code: 0 }, (name) => name === 'machines');
  const made = program.commands.filter(({ commands }) => commands.length > 0).map((command) => command.name());
  t.true(made.includes('machines'));
  for (const other of ['templates', 'requests', 'providers', 'config']) t.false(made.includes(other), other);
});
