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

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the reason of the signal. A server may still execute a call that was sent. */
  readonly signal?: AbortSignal;
  /**
   * A repeated call with the same key and input returns the same request. For operations that create requests and
   * returns.
   */
  readonly idempotency_key?: string;
}

/** The input is optional when it has no required field. */
type Method<I, R> = {} extends I
  ? (input?: I, options?: CallOptions) => Promise<R>
  : (input: I, options?: CallOptions) => Promise<R>;

type SnakeMethods = { readonly [N in keyof Operations]: Method<InputOf<N>, OutputOf<Operations[N]>> };
type CamelMethods = { readonly [N in keyof Operations as CamelCase<N>]: SnakeMethods[N] };

/** Every operation as a method, under its name and its camelCase name. Inputs may be spelled either way too. */
export type Methods = SnakeMethods & CamelMethods;

/** Executes an operation, in this process or at a server. */
export type Execute = (operation: Operation<any, any>, input: unknown, options: CallOptions) => Promise<unknown>;

/** Returns the methods over an executor of operations. */
export function methodsOver(execute: Execute): Methods {
  const methods: Record<string, (input?: unknown, options?: CallOptions) => Promise<unknown>> = {};
  for (const operation of operations as readonly Operation<any, any>[]) {
    const method = (input: unknown = {}, options: CallOptions = {}) => execute(operation, input, options);
    methods[operation.name] = method;
    methods[camelCase(operation.name)] = method;
  }
  return methods as unknown as Methods;
}
