import type { DeclaredOperation } from './declared-operations.ts';
import { codeOf } from '../exit-codes.ts';
import { optionOf } from '../option-names.ts';

/** A refusal that speaks of inputs by their place in the call, as the command line calls them: `/machine_count` is `machine_count`, `/timeout` is `--timeout`. */
export function nameInputs(error: unknown, { input, args }: DeclaredOperation): unknown {
  if (!(error instanceof Error) || codeOf(error) === undefined) return error;
  error.message = error.message.replaceAll(/(^|; )\/([a-z_]+)(?=[/:])/g, (whole, before: string, name: string) => {
    if (!(name in input.properties)) return whole;
    return `${before}${args.includes(name) ? name : optionOf(name)}`;
  });
  return error;
}
