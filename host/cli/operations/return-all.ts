import type { Command } from 'commander';
import { declarations, type DeclaredOperation } from './declared-operations.ts';
import { UsageError } from './read-texts.ts';
import type { Call } from './run-operation.ts';

export interface ReturnAllFlags {
  readonly all?: boolean;
  readonly force?: boolean;
}

/** Whether the operation returns machines by their ids and so has --all. */
export const returnsAll = ({ name }: DeclaredOperation): boolean => name === 'create_return_request';

export function addReturnAll(command: Command): void {
  command
    .usage('[options] <machine_ids...> | --all --force')
    .option('--all', 'Return every machine, instead of ids. Needs --force.')
    .option('--force', 'With --all: confirm.');
}

/** Returns the call of `machines return --all --force`, which is another operation. */
export function returnAllCall(input: Readonly<Record<string, unknown>>, { force }: ReturnAllFlags): Call {
  if (input['machine_ids'] !== undefined) throw new UsageError('--all replaces machine ids; pass only one of them');
  if (!force) throw new UsageError('--all returns every machine; add --force');
  const operation = declarations().operations.find(
    ({ name }) => name === 'cleanup_all_resources',
  ) as DeclaredOperation;
  const { timeout } = input;
  return { operation, input: { confirm: true, ...(timeout === undefined ? {} : { timeout }) } };
}
