import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';

/** The declaration of an operation for the command line. */
export interface DeclaredOperation {
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly summary: string;
  /** `requests create` */
  readonly command: string;
  /** Names of the inputs that are positional arguments. */
  readonly args: readonly string[];
  /** A complete command line. */
  readonly example: string;
  readonly input: TSchema & InputSchema;
  /** Inputs that the command line sends by default; the defaults of the operation may differ. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly leaves_work: boolean;
  readonly needs_loop: boolean;
}

/** The part of an input's JSON Schema that the command line reads, beside `conversionPlanOf`. */
export interface InputSchema {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

export interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
  readonly default?: unknown;
  readonly description?: string;
  readonly aliases?: readonly string[];
  /** Other spellings of the values. */
  readonly value_aliases?: Readonly<Record<string, string>>;
}

export interface Declared {
  readonly operations: readonly DeclaredOperation[];
  /** The template fields of every provider. */
  readonly template: TSchema;
}

let declared: Declared | undefined;

/**
 * Returns the operations. Reads the file that `npm run generate` writes: loading the registry takes three times as
 * long as a call to a running server. A test compares the file with the registry.
 */
export function declarations(): Declared {
  declared ??= JSON.parse(readFileSync(new URL('./declared-operations.json', import.meta.url), 'utf8')) as Declared;
  return declared;
}
