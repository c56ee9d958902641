import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { camelCase } from '../../core/schema/spelling.ts';
import { apiPrefix } from '../../host/rest/bind-operation.ts';
import { toolOf } from '../../host/mcp/tools/tool.ts';
import { table } from '../markdown/schema-text.ts';
import { generated, madeFile, type Page } from './page.ts';

const operations: readonly Operation<any, any>[] = registered;

/** All that muster can do, and how on each interface. */
export const operationsPage: Page = {
  name: 'operations',
  make: async () => [madeFile('docs/reference/operations.md', text)],
};

function text(): string {
  const intro = `# Operations\n\n${generated('operations', 'the operations')}\n\nAll that muster can do. Each operation is declared once, and every interface is derived from that declaration: name, fields, refusals and answer are the same on all. The reference of each interface lists inputs and answers: [REST](rest.md), [command line](cli.md), [MCP](mcp.md), [SDK](sdk.md); [errors](errors.md) lists the refusals.\n\nREST serves every operation also as \`POST ${apiPrefix}/operations/NAME\`, with its input as the body. An operation without a route in the table has only this route.\n\n`;
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
    kind === 'query'
      ? 'Changes nothing.'
      : annotations?.destructiveHint
        ? 'May end machines or requests.'
        : 'Changes something.',
    kind === 'command' && annotations?.idempotentHint ? 'A repeated call changes nothing further.' : '',
    leaves_work ? 'The broker carries out the stored request afterwards.' : '',
  ];
  const routes = [rest ?? []].flat();
  const rows = [
    [
      'REST',
      routes.length === 0
        ? `\`POST ${apiPrefix}/operations/${name}\``
        : `${routesOf(each).join(', ')} ([more](rest.md#${name}))`,
    ],
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
  return `## ${name}\n\n${summary}\n\n${does.filter(Boolean).join(' ')}\n\n${table(['Interface', 'Name'], rows)}${refused}`;
}
