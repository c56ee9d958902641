import {
  CommonTemplate,
  compile,
  Type,
  type CanonicalTemplate,
  type SchedulerStrategy,
  type TemplatesRead,
  type TObject,
} from '../../core/index.ts';
import { callPure } from './call-pure.ts';
import { deepFrozen } from './deep-frozen.ts';

/** Reads the content of a template file. */
export type Reader = (file: unknown) => TemplatesRead;

/** The reader of a strategy; undefined if it reads no templates. A throw fails the check. */
export function readerOf(strategy: SchedulerStrategy, fields: readonly TObject[]): Reader | undefined {
  const read = strategy.readTemplates?.bind(strategy);
  const canonical = canonicalOf(fields);
  return read && ((file) => callPure(() => read(deepFrozen(file), canonical), `of ${excerptOf(file)}`));
}

/** The beginning of a file, for messages. */
export const excerptOf = (file: unknown): string => JSON.stringify(file).slice(0, 200);

/**
 * Translates fields as the broker does: canonical names, camelCase and aliases of the common fields and of the
 * providers' fields.
 */
function canonicalOf(fields: readonly TObject[]): (raw: Record<string, unknown>) => CanonicalTemplate {
  const properties = Object.assign(
    {},
    CommonTemplate.properties,
    ...fields.map((each) => each.properties),
  ) as TObject['properties'];
  const schema = compile(Type.Object(properties, { additionalProperties: true }));
  return (raw) => {
    const { value, findings } = schema.canonical(raw);
    return { fields: { ...(value as Record<string, unknown>) }, findings };
  };
}
