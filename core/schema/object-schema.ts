import type { Static, TProperties } from 'typebox';

/**
 * The JSON schema of an object. The broker reads it as JSON, so any library can make it: `typebox`,
 * `@sinclair/typebox`, or none.
 */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: TProperties;
}

/**
 * The values that a schema allows. `@sinclair/typebox` declares them in `static`, a property that exists only in
 * types.
 */
export type ValueOf<Schema> = Schema extends { readonly static: infer Value } ? Value : Static<Schema & {}>;
