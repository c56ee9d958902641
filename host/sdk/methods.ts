import type { Static, TSchema } from 'typebox';
import type { Answers } from '../../core/contract/answers.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations, type Operations } from '../../core/operations/registry.ts';
import { camelCase } from '../../core/schema/spelling.ts';
import type { CamelCase, InputOf } from './inputs.ts';

type OutputOf<O> =
  O extends Operation<any, infer R, any>
    ? R extends keyof Answers
      ? Answers[R]
      : R extends TSchema
        ? Static<R>
        : never
    : never;

/** What goes with a single call. */
export interface CallOptions {
  /** The call rejects with its reason when it is aborted. What was sent to a server may be done all the same. */
  readonly signal?: AbortSignal;
  /** The same key and input again give the same request. For the calls that make requests and returns. */
  readonly idempotency_key?: string;
}

/** An input may be left out where nothing of it is needed. */
type Method<I, R> = {} extends I
  ? (input?: I, options?: CallOptions) => Promise<R>
  : (input: I, options?: CallOptions) => Promise<R>;

type SnakeMethods = { readonly [N in keyof Operations]: Method<InputOf<N>, OutputOf<Operations[N]>> };
type CamelMethods = { readonly [N in keyof Operations as CamelCase<N>]: SnakeMethods[N] };

/** Every operation as a method, by its name and by its camelCase twin. Inputs may be spelled either way too. */
export type Methods = SnakeMethods & CamelMethods;

/** How a call is carried out: in this process, or by a server. */
export type Execute = (operation: Operation<any, any>, input: unknown, options: CallOptions) => Promise<unknown>;

/** The methods over one way to carry calls out. */
export function methodsOver(carry: Execute): Methods {
  const methods: Record<string, (input?: unknown, options?: CallOptions) => Promise<unknown>> = {};
  for (const operation of operations as readonly Operation<any, any>[]) {
    const method = (input: unknown = {}, options: CallOptions = {}) => carry(operation, input, options);
    methods[operation.name] = method;
    methods[camelCase(operation.name)] = method;
  }
  return methods as unknown as Methods;
}
