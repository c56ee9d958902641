import type { Operation } from '../../core/operations/operation.ts';
import { operations } from '../../core/operations/registry.ts';
import { resourceTemplates } from '../../host/mcp/resources/resources.ts';
import { toolOf } from '../../host/mcp/tools/tool.ts';
import { fieldRows, table } from '../markdown/schema-text.ts';
import { generated, madeFile, type Page } from './page.ts';

/** The tools and resources of the MCP server. */
export const mcpPage: Page = {
  name: 'mcp',
  make: async () => [madeFile('docs/reference/mcp.md', text)],
};

type Tool = ReturnType<typeof toolOf>;

function text(): string {
  const tools = (operations as readonly Operation<any, any>[]).map(toolOf);
  const intro = `# MCP reference\n\n${generated('mcp', 'the operations')}\n\nThe tools and resources of \`muster mcp serve\`; [the guide](../guides/mcp.md) says how to use them.\n\nA success is \`{"success": true, "data": …, "tool": …}\`, a failure \`{"error": {"type", "message", "tool", "arguments", "code", "remedy", "details"}}\` with \`isError\`: as text and as \`structuredContent\`. \`data\` is the answer of the operation of the same name, as [the REST reference](rest.md) shows it for the default scheduler.\n\n`;
  const overview = table(
    ['Tool', 'Changes', 'Repeatable', 'A cloud acts'],
    tools.map(({ name, annotations }) => [
      `[\`${name}\`](#${name})`,
      changes(annotations),
      yes(annotations?.readOnlyHint || annotations?.idempotentHint),
      yes(annotations?.openWorldHint ?? true),
    ]),
  );
  const legend =
    'Changes: `–` nothing (`readOnlyHint`; `--read-only` offers these tools only), `yes`, or `destroys` (`destructiveHint`). Repeatable: a repeated call changes nothing further (`idempotentHint`). A cloud acts: `openWorldHint`.\n\n';
  const resources = table(
    ['Resource', 'What'],
    resourceTemplates.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]),
  );
  return `${intro}## Tools\n\n${overview}${legend}${tools.map(toolText).join('')}## Resources\n\n${resources}`.replace(
    /\n+$/,
    '\n',
  );
}

const yes = (hint: boolean | undefined): string => (hint ? 'yes' : '–');
const changes = (hints: Tool['annotations']): string =>
  hints?.readOnlyHint ? '–' : hints?.destructiveHint ? 'destroys' : 'yes';

function toolText({ name, description = '', inputSchema }: Tool): string {
  const rows = fieldRows(inputSchema);
  const about = inputSchema['description'] === undefined ? '' : `${String(inputSchema['description'])}\n\n`;
  return `### ${name}\n\n${description}\n\n${about}${rows.length > 0 ? table(['Argument', 'Type', 'Default', 'Meaning'], rows) : 'No arguments.\n\n'}`;
}
