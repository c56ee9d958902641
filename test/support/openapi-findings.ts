import { Compile } from 'typebox/compile';
import { inlineRefs } from './inline-refs.ts';

type Json = Readonly<Record<string, any>>;

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const jsonTypes = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);
const schemaWords = new Set(
  `$ref type enum const properties required additionalProperties items anyOf allOf oneOf description default examples format pattern minLength
  maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems minProperties maxProperties title`.split(
    /\s+/,
  ),
);

/** What is wrong with an OpenAPI 3.1 document, by its rules: each with its place. Empty for a right one. */
export function openApiFindings(document: Json): readonly string[] {
  const found: string[] = [];
  const say = (where: string, what: string) => void found.push(`${where}: ${what}`);
  const only = (where: string, json: Json, words: readonly string[]) => {
    for (const word of Object.keys(json))
      if (!words.includes(word) && !word.startsWith('x-')) say(where, `'${word}' has no place here`);
  };

  only('', document, [
    'openapi',
    'info',
    'servers',
    'security',
    'tags',
    'paths',
    'components',
    'externalDocs',
    'webhooks',
  ]);
  if (!/^3\.1\.\d+$/.test(document['openapi'])) say('/openapi', 'must be a version of 3.1');
  for (const word of ['title', 'version'])
    if (typeof document['info']?.[word] !== 'string') say(`/info/${word}`, 'is required');
  only('/info', document['info'], [
    'title',
    'version',
    'summary',
    'description',
    'license',
    'contact',
    'termsOfService',
  ]);
  const tags = new Set(document['tags'].map(({ name }: Json) => name));
  if (tags.size !== document['tags'].length) say('/tags', 'one name stands twice');

  const ids = new Set<string>();
  const shapes = new Set<string>();
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Json>)) {
    if (!path.startsWith('/')) say(path, 'must begin with a slash');
    const shape = path.replace(/\{\w+\}/g, '{}');
    if (shapes.has(shape)) say(path, 'is the same as another path but for names of parameters');
    shapes.add(shape);
    for (const [method, operation] of Object.entries(item)) {
      if (!methods.has(method)) say(`${path} ${method}`, 'is no method');
      else checkOperation(path, method, operation);
    }
  }
  for (const [name, schema] of Object.entries((document['components']?.schemas ?? {}) as Record<string, Json>)) {
    if (!/^[A-Za-z0-9._-]+$/.test(name)) say(`/components/schemas/${name}`, 'is no name');
    checkSchema(`/components/schemas/${name}`, schema);
  }
  return found;

  function checkOperation(path: string, method: string, operation: Json): void {
    const at = `${method.toUpperCase()} ${path}`;
    only(at, operation, [
      'operationId',
      'summary',
      'description',
      'tags',
      'parameters',
      'requestBody',
      'responses',
      'deprecated',
    ]);
    if (ids.has(operation['operationId'])) say(at, `the operationId '${operation['operationId']}' stands twice`);
    ids.add(operation['operationId']);
    for (const tag of operation['tags']) if (!tags.has(tag)) say(at, `the tag '${tag}' is not told`);
    if (!operation['summary']) say(at, 'has no summary');
    const names = new Set<string>();
    for (const raw of operation['parameters'] ?? []) {
      const parameter = resolved(at, raw);
      only(`${at} ${parameter['name']}`, parameter, [
        'name',
        'in',
        'description',
        'required',
        'schema',
        'example',
        'deprecated',
      ]);
      if (!['path', 'query', 'header', 'cookie'].includes(parameter['in']))
        say(at, `'${parameter['in']}' is no place of parameters`);
      const key = `${parameter['in']} ${parameter['name']}`;
      if (names.has(key)) say(at, `the parameter ${key} stands twice`);
      names.add(key);
      if (parameter['in'] === 'path' && parameter['required'] !== true) say(at, `${key} must be required`);
      checkSchema(`${at} ${key}`, parameter['schema']);
      if ('example' in parameter) checkFits(`${at} ${key}/example`, parameter['schema'], parameter['example']);
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
    for (const name of inPath) if (!names.has(name)) say(at, `the parameter ${name} is not described`);
    for (const name of names)
      if (name.startsWith('path ') && !inPath.includes(name)) say(at, `the path has no ${name}`);
    if (operation['requestBody']) checkContent(`${at} body`, operation['requestBody']);
    const responses = Object.entries((operation['responses'] ?? {}) as Record<string, Json>);
    if (responses.length === 0) say(at, 'has no response');
    for (const [status, response] of responses) {
      if (!/^([1-5]\d\d|default)$/.test(status)) say(at, `'${status}' is no status`);
      if (typeof response['description'] !== 'string') say(`${at} ${status}`, 'has no description');
      only(`${at} ${status}`, response, ['description', 'headers', 'content', 'links']);
      for (const [name, raw] of Object.entries((response['headers'] ?? {}) as Record<string, Json>))
        checkSchema(`${at} ${status} ${name}`, resolved(`${at} ${status}`, raw)['schema']);
      checkContent(`${at} ${status}`, response);
    }
  }

  function checkContent(at: string, { content = {} }: Json): void {
    for (const [type, media] of Object.entries(content as Record<string, Json>)) {
      if (!/^\w+\/[\w.+-]+$/.test(type)) say(at, `'${type}' is no media type`);
      only(at, media, ['schema', 'example', 'examples']);
      checkSchema(at, media['schema']);
      if ('example' in media) checkFits(`${at}/example`, media['schema'], media['example']);
    }
  }

  function checkSchema(at: string, schema: Json | undefined): void {
    if (typeof schema !== 'object') return say(at, 'has no schema');
    if (schema['$ref']) resolved(at, schema);
    for (const word of Object.keys(schema))
      if (!schemaWords.has(word) && !word.startsWith('x-')) say(at, `'${word}' is no word of a schema`);
    for (const type of [schema['type'] ?? []].flat()) if (!jsonTypes.has(type)) say(at, `'${type}' is no type`);
    if (schema['enum'] && new Set(schema['enum']).size !== schema['enum'].length) say(at, 'one choice stands twice');
    for (const name of schema['required'] ?? [])
      if (schema['properties'] && !schema['properties'][name]) say(at, `'${name}' is required and not described`);
    for (const [name, each] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>))
      checkSchema(`${at}/${name}`, each);
    for (const each of [schema['anyOf'] ?? [], schema['allOf'] ?? [], schema['items'] ?? []].flat())
      checkSchema(at, each);
    if ('default' in schema) checkFits(`${at}/default`, schema, schema['default']);
    for (const [index, example] of (schema['examples'] ?? []).entries())
      checkFits(`${at}/examples/${index}`, schema, example);
    if (typeof schema['additionalProperties'] === 'object') checkSchema(`${at}/*`, schema['additionalProperties']);
  }

  /**
   * Whoever reads the document may send a default, or show an example: each must be allowed by the schema that it
   * stands for.
   */
  function checkFits(at: string, schema: Json, value: unknown): void {
    if (typeof schema !== 'object') return;
    const validator = Compile(inlineRefs(schema, document, false));
    if (validator.Check(value)) return;
    for (const { instancePath, message } of validator.Errors(value)) say(`${at}${instancePath}`, message);
  }

  function resolved(at: string, json: Json): Json {
    if (json['$ref'] === undefined) return json;
    const steps = (json['$ref'] as string).replace(/^#\//, '').split('/');
    const target = steps.reduce<any>((value, step) => value?.[step], document);
    if (target === undefined) say(at, `${json['$ref']} leads nowhere`);
    return target ?? {};
  }
}
