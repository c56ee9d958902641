import { isObject } from '../../core/schema/is-object.ts';
import type { TObject } from 'typebox';
import type { Operation } from '../../core/operations/operation.ts';
import type { RestBinding } from '../../core/contract/service/rest-binding.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { byPath, placesOf, sentences, type Finding } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { convertText } from '../../core/schema/convert.ts';
import { conversionPlanOf } from '../../core/schema/conversion-plan.ts';
import { rename } from '../../core/schema/rename.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The unparsed input of a call. */
export interface RawInput {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: unknown;
}

/**
 * Returns the input schema of an operation on one route: without the fields that the route omits or presets, and with
 * the defaults of the route. Used for parsing and for documentation.
 */
export function routeSchema(operation: Operation<any, any>, rest: RestBinding): TObject {
  const input = operation.input as TObject & { readonly required?: readonly string[] };
  const hidden = new Set([...(rest.omit ?? []), ...Object.keys(rest.preset ?? {})]);
  const optional = new Set([...hidden, ...(rest.optional ?? [])]);
  const properties = Object.fromEntries(
    Object.entries(input.properties)
      .filter(([name]) => !hidden.has(name))
      .map(([name, field]) => [
        name,
        rest.defaults && name in rest.defaults ? { ...field, default: rest.defaults[name] } : field,
      ]),
  );
  return {
    ...input,
    properties,
    required: (input.required ?? []).filter((name) => !optional.has(name)),
  } as unknown as TObject;
}

/**
 * Returns a function that parses the input of a call on one route. The function throws INVALID_REQUEST with all
 * findings.
 */
export function inputReader(operation: Operation<any, any>, rest: RestBinding): (raw: RawInput) => Fields {
  const schema = routeSchema(operation, rest) as TObject & Fields;
  const compiled = compile(schema);
  const plan = conversionPlanOf(schema);
  const { preset, method } = rest;
  const inBody = method === 'POST' || method === 'PUT';

  function fields(source: unknown, findings: Finding[], text: boolean): Fields {
    const renamed = rename(plan, source, '', findings);
    return (text ? convertText(plan, renamed) : renamed) as Fields;
  }

  return ({ params, query, body }) => {
    const findings: Finding[] = [];
    if (body !== undefined && body !== null && !isObject(body)) {
      findings.push({ level: 'error', path: '', message: 'The body must be a JSON object.' });
    }
    const merged: Record<string, unknown> = { ...params };
    if (inBody) refuseQuery(query, findings);
    else if (Object.keys(query).length > 0) merge(merged, fields(query, findings, true), 'query', findings);
    if (isObject(body)) merge(merged, fields(body, findings, false), 'body', findings);
    const parsed = compiled.parse(merged);
    // A body that is not an object lacks every field; those findings say nothing more.
    if (parsed.findings && !findings.some(({ path }) => path === '')) findings.push(...parsed.findings);
    if (findings.length > 0 || !parsed.value) throw refused(findings);
    return preset ? { ...(parsed.value as Fields), ...preset } : (parsed.value as Fields);
  };
}

/** A form of any web page can send a query, but not JSON. */
function refuseQuery(query: Fields, findings: Finding[]): void {
  for (const name of Object.keys(query))
    findings.push({
      level: 'error',
      path: `/${name}`,
      message: 'is in the query; this call reads its input from the JSON body',
    });
}

/** Merges fields; a field that occurs in two places must have the same value in both. */
function merge(merged: Record<string, unknown>, over: Fields, place: string, findings: Finding[]): void {
  for (const [name, value] of Object.entries(over)) {
    if (Object.hasOwn(merged, name) && JSON.stringify(merged[name]) !== JSON.stringify(value)) {
      findings.push({
        level: 'error',
        path: `/${name}`,
        message: `differs between the ${place} and the rest of the call`,
      });
    } else merged[name] = value;
  }
}

function refused(findings: readonly Finding[]): BrokerError {
  const unique = new Map(findings.map((finding) => [`${finding.path} ${finding.message}`, finding]));
  const all = [...unique.values()].toSorted(byPath);
  return new BrokerError('INVALID_REQUEST', sentences(all), { findings: placesOf(all) });
}
