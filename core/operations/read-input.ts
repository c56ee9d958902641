import type { Static, TObject } from 'typebox';
import { BrokerError } from '../contract/errors.ts';
import { placesOf, sentences } from '../contract/findings.ts';
import { compile } from '../schema/compile.ts';
import type { Operation } from './operation.ts';

/** Reads the input of an operation: any spelling, defaults filled in. Throws INVALID_REQUEST with all findings. */
export function readInput<I extends TObject>(operation: Pick<Operation<I, any>, 'input'>, raw: unknown): Static<I> {
  const { value, findings } = compile(operation.input).parse(raw ?? {});
  if (!findings) return value as Static<I>;
  throw new BrokerError('INVALID_REQUEST', sentences(findings), { findings: placesOf(findings) });
}
