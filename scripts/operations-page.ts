import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../core/operations/operation.ts';
import { operations as registered } from '../core/operations/registry.ts';
import { camelCase } from '../core/schema/spelling.ts';
import { apiPrefix } from '../host/rest/bind-operation.ts';
import { toolOf } from '../host/mcp/tools/tool.ts';
import { table } from './schema-text.ts';

const page = join(import.meta.dirname, '../docs/reference/operations.md');
const generated = '<!-- Made by scripts/operations-page.ts from the operations; do not edit. -->';
const operations: readonly Operation<any, any>[] = registered;

/** All that muster can do, and how on each face, as it is written and as it would be made from the operations. */
export function operationsPage(): { readonly written: string; readonly made: string } {
  let written = '';
  try {
    written = readFileSync(page, 'utf8');
  } catch {
    // The first time.
  }
  return { written, made: made() };
}

function made(): string {
  const intro = `# Operations\n\n${generated}\n\nAll that muster can do. Each operation is declared once, and every face reads it off that declaration: name, fields, refusals and answer are the same on all. What each takes and answers stands in the reference of the face: [REST](rest.md), [command line](cli.md), [MCP](mcp.md), [SDK](sdk.md); refusals in [errors](errors.md).\n\nREST serves every operation also as \`POST ${apiPrefix}/operations/NAME\`, with its input as the body: where the table shows no route, this is the only one.\n\n`;
  const overview = table(
    ['Operation', 'REST', 'Command line'],
    operations.map((each) => [`[\`${each.name}\`](#${each.name})`, routesOf(each).join('<br>'), commandOf(each)]),
  );
  return `${intro}${overview}${operations.map(section).join('')}`.replace(/\n+$/, '\n');
}

const routesOf = ({ rest }: Operation<any, any>): string[] =>
  [rest ?? []].flat().map(({ method, path }) => `\`${method} ${apiPrefix}${path}\``);

const commandOf = ({ cli }: Operation<any, any>): string => (cli ? `\`muster ${cli.command}\`` : '');

function section(each: Operation<any, any>): string {
  const { name, class_name, kind, summary, rest, cli, refusals = [], leaves_work } = each;
  const { annotations } = toolOf(each);
  const does = [
    kind === 'query' ? 'Changes nothing.' : annotations?.destructiveHint ? 'May end machines or requests.' : 'Changes something.',
    kind === 'command' && annotations?.idempotentHint ? 'The same call once more changes nothing further.' : '',
    leaves_work ? 'What it stores is carried out afterwards.' : '',
  ];
  const routes = [rest ?? []].flat();
  const rows = [
    ['REST', routes.length === 0 ? `\`POST ${apiPrefix}/operations/${name}\`` : `${routesOf(each).join(', ')} ([more](rest.md#${name}))`],
    [
      'Command line',
      cli
        ? `\`muster ${[cli.command, ...(cli.args ?? []).map((arg) => arg.toUpperCase())].join(' ')}\` ([more](cli.md#muster-${cli.command.replaceAll(' ', '-')}))`
        : '–',
    ],
    ['MCP', `\`${name}\` ([more](mcp.md#${name}))`],
    ['SDK', `\`${name}\`, \`${camelCase(name)}\` ([more](sdk.md#${name}))`],
    ['Class', `\`${class_name}\``],
  ];
  const refused =
    refusals.length === 0
      ? ''
      : `Refusals beside bad input: ${refusals.map((code) => `[\`${code}\`](errors.md#${code.toLowerCase()})`).join(', ')}.\n\n`;
  return `## ${name}\n\n${summary}\n\n${does.filter(Boolean).join(' ')}\n\n${table(['Face', 'As'], rows)}${refused}`;
}

if (import.meta.main) writeFileSync(page, operationsPage().made);
