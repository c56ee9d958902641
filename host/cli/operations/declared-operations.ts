import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';

/** An operation as the command line needs it. */
export interface DeclaredOperation {
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly summary: string;
  /** `requests create` */
  readonly command: string;
  /** Inputs that stand by their place. */
  readonly args: readonly string[];
  /** A whole command line. */
  readonly example: string;
  readonly input: TSchema & InputSchema;
  /** What is sent where nothing else is given: the operation's own defaults may differ. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly leaves_work: boolean;
  readonly needs_loop: boolean;
}

/** What is read of an input's JSON Schema beside what `planOf` reads. */
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
  /** Other spellings of its values. */
  readonly value_aliases?: Readonly<Record<string, string>>;
}

export interface Declared {
  readonly operations: readonly DeclaredOperation[];
  /** The template fields that every provider knows. */
  readonly template: TSchema;
}

let declared: Declared | undefined;

/**
 * The operations, read from the file that `npm run generate` writes: the registry itself takes three times as long to
 * load as a call to a running server. A test compares the file with the registry.
 */
export function declarations(): Declared {
  declared ??= JSON.parse(readFileSync(new URL('./declared-operations.json', import.meta.url), 'utf8')) as Declared;
  return declared;
}
