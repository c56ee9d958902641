import type { Command } from 'commander';
import { declarations, type DeclaredOperation } from './declared-operations.ts';
import { UsageError } from './read-texts.ts';
import type { Call } from './run-operation.ts';

export interface ReturnAllFlags {
  readonly all?: boolean;
  readonly force?: boolean;
}

/** Whether a command gives machines back by their ids, and so may be asked to give all of them back. */
export const returnsAll = ({ name }: DeclaredOperation): boolean => name === 'create_return_request';

export function addReturnAll(command: Command): void {
  command
    .usage('[options] <machine_ids...> | --all --force')
    .option('--all', 'Every machine that lives, instead of ids. Needs --force.')
    .option('--force', 'With --all: yes, every machine.');
}

/** `machines return --all --force` is another operation. */
export function insteadOfIds(input: Readonly<Record<string, unknown>>, { force }: ReturnAllFlags): Call {
  if (input['machine_ids'] !== undefined) throw new UsageError('--all stands instead of machine ids; give one of them');
  if (!force) throw new UsageError('--all gives every machine back; add --force');
  const operation = declarations().operations.find(({ name }) => name === 'cleanup_all_resources') as DeclaredOperation;
  const { timeout } = input;
  return { operation, input: { confirm: true, ...(timeout === undefined ? {} : { timeout }) } };
}
