import type { TObject } from 'typebox';
import type { EventSinkType } from '../../core/contract/events.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { ConfiguredSink } from '../configuration.ts';
import { notContributed } from '../plugins/contributed-by.ts';

/**
 * Checks the entries of `events.sinks` with the schemas of their types and fills in defaults. Unknown options and
 * names that two sinks share are errors. `contributed`: the names of the sinks that plugins contribute themselves.
 */
export function checkSinks(
  entries: readonly ConfiguredSink[],
  types: readonly EventSinkType<any>[],
  contributed: readonly string[],
  findings: Finding[],
): readonly ConfiguredSink[] {
  const names = new Set(contributed);
  return entries.map((entry, index) => {
    const at = `/events/sinks/${index}`;
    const report = (path: string, message: string) => findings.push({ level: 'error', path: `${at}${path}`, message });
    const { type: typeName, name, ...options } = entry;
    if (names.has(name)) report('/name', `'${name}' is already the name of another event sink`);
    names.add(name);
    const type = types.find((each) => each.type === typeName);
    if (!type) {
      report(
        '/type',
        notContributed(
          'event sink type',
          typeName,
          types.map((each) => each.type),
        ),
      );
      return entry;
    }
    const schema = type.options as TObject;
    const known = Object.keys(schema.properties);
    const parsed = compile(schema).parse(options);
    const found = parsed.findings ?? (parsed.value === undefined ? [] : (type.review?.(parsed.value) ?? []));
    for (const finding of found) findings.push({ ...finding, path: `${at}${finding.path}` });
    for (const field of Object.keys(compile(schema).canonical(options).value as object))
      if (!known.includes(field)) report(`/${field}`, `unknown field${hint(field, ['type', 'name', ...known])}`);
    return { ...(parsed.value as object | undefined), type: type.type, name };
  });
}
