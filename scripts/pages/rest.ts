import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { codes } from '../../core/contract/errors.ts';
import { silentLog } from '../../core/contract/log.ts';
import { compose } from '../../host/compose.ts';
import { createApp } from '../../host/rest/app.ts';
import { fieldRows, schemaText, table } from '../markdown/schema-text.ts';
import { generated, madeFile, type Page } from './page.ts';

type Json = Readonly<Record<string, any>>;

/** Every route, from `/openapi.json` of a broker without a configuration file. */
export const restPage: Page = {
  name: 'rest',
  make: async () => {
    const made = pageOf(await document());
    return [madeFile('docs/reference/rest.md', () => made)];
  },
};

async function document(): Promise<Json> {
  const directory = mkdtempSync(join(tmpdir(), 'muster-page-'));
  const loaded = await loadConfiguration({ cwd: directory, env: { MUSTER_DATA_DIR: directory } });
  const broker = await compose({ loaded, log: silentLog, loop: 'none' });
  const app = createApp({ broker });
  try {
    return (await app.inject('/openapi.json')).json();
  } finally {
    await app.close();
    await broker.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function pageOf(document: Json): string {
  const routes = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Json>).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const sections = (document['tags'] as Json[]).map(({ name, description }) => {
    const mine = routes.filter(({ operation }) => operation['tags'].includes(name));
    return `## ${name}\n\n${description}\n\n${mine.map((route) => routeText(route, document)).join('')}`;
  });
  const intro = `# REST reference\n\n${generated('rest', 'the operations')}\n\n${document['info'].description}\n\nThe broker serves the same reference as \`/openapi.json\`, \`/docs\` and \`/redoc\`, with the answers of its scheduler; this page shows the default scheduler. [Limits and headers](../guides/limits-and-headers.md) have a guide.\n\n`;
  return `${intro}${overview(routes)}${sections.join('')}${shapes(document)}${refusals()}`.replace(/\n+$/, '\n');
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

const anchor = (operation: Json): string => `[\`${operation['operationId']}\`](#${operation['operationId']})`;

const overview = (routes: readonly Route[]): string =>
  table(
    ['Route', 'Operation', 'Limit'],
    routes.map(({ path, method, operation }) => [
      `${method} \`${path}\``,
      anchor(operation),
      operation['x-rate-limit-group'] ?? '–',
    ]),
  );

function routeText({ path, method, operation }: Route, document: Json): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const given = (parameters as Json[]).map(
    (each) => (each['$ref'] ? document['components'].parameters[each['$ref'].split('/').at(-1)] : each) as Json,
  );
  const own = given.filter((each) => each['name'] !== 'X-Request-Id');
  const rows = own.map(({ name, in: place, schema, required, description = '' }) => [
    `\`${name}\``,
    place,
    schemaText(schema),
    required ? 'required' : 'default' in schema ? `\`${schema.default}\`` : '',
    description,
  ]);
  const body = requestBody?.content['application/json'];
  return [
    `### ${operationId}\n\n\`${method} ${path}\`\n\n${summary}${description ? ` ${description}` : ''}\n\n`,
    table(['Parameter', 'In', 'Type', 'Default', 'Meaning'], rows),
    body ? bodyText(body.schema) : '',
    answersText(responses),
    example({ path, method, operation }, body?.example, own),
  ].join('');
}

function bodyText(schema: Json): string {
  if (schema['allOf']) {
    const [, more] = schema['allOf'] as Json[];
    return `Body: fields of a template, as [TemplateFields](#templatefields) has them.\n\n${more ? table(['Also', 'Type', 'Default', 'Meaning'], fieldRows(more)) : ''}`;
  }
  return schema['properties']
    ? table(['Body', 'Type', 'Default', 'Meaning'], fieldRows(schema))
    : 'Body: an object.\n\n';
}

function answersText(responses: Record<string, Json>): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const named = [...(description as string).matchAll(/- (`\w+`):/g)].map(([, name]) => name);
    const schema = content?.['application/json']?.schema;
    return [status, named.length > 0 ? named.join(', ') : schema?.$ref ? schemaText(schema) : description];
  });
  return table(['Status', 'Answer'], rows);
}

function example({ path, method, operation }: Route, body: unknown, parameters: readonly Json[]): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((each) => each['name'] === name)?.['example']),
  );
  const data =
    body === undefined
      ? ''
      : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`;
  const success = Object.entries(operation['responses'] as Record<string, Json>).find(
    ([status]) => status.startsWith('2') || status === '501',
  )?.[1];
  const answer = success?.['content']?.['application/json']?.example;
  const stream = answer === undefined ? success?.['content']?.['text/event-stream']?.example : undefined;
  const shown =
    stream !== undefined
      ? `\`\`\`\n${stream.trim()}\n\`\`\`\n\n`
      : answer === undefined
        ? ''
        : `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n\n`;
  return `\`\`\`sh\ncurl${verb} http://127.0.0.1:8000${url}${data}\n\`\`\`\n\n${shown}`;
}

/** The shapes to which bodies and answers refer. */
function shapes({ components }: Json): string {
  const schemas = Object.entries(components.schemas as Record<string, Json>).filter(([name]) => name !== 'Template');
  const parts = schemas.map(([name, schema]) => {
    const about = schema['description'] ? `${schema['description']}\n\n` : '';
    return `### ${name}\n\n${about}${table(['Field', 'Type', 'Default', 'Meaning'], fieldRows(schema))}`;
  });
  return `## Shapes\n\n### Template\n\nAs [TemplateFields](#templatefields), with a \`template_id\`, and \`source_info\` if the call asks for it.\n\n${parts.join('')}`;
}

const refusals = (): string =>
  `## Refusals\n\n[The reference of errors](errors.md) says what to do about each.\n\n${table(
    ['Code', 'Status', 'Meaning'],
    Object.entries(codes).map(([name, { status, meaning }]) => [`\`${name}\``, String(status), meaning]),
  )}`;
