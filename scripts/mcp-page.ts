import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../core/operations/operation.ts';
import { operations } from '../core/operations/registry.ts';
import { resourceTemplates } from '../host/mcp/resources/resources.ts';
import { toolOf } from '../host/mcp/tools/tool.ts';
import { fieldRows, table } from './schema-text.ts';

const page = join(import.meta.dirname, '../docs/reference/mcp.md');
const generated = '<!-- Made by scripts/mcp-page.ts from the operations; do not edit. -->';

/** The reference of the MCP face as it is written, and as it would be made from the operations. */
export function mcpPage(): { readonly written: string; readonly made: string } {
  let written = '';
  try {
    written = readFileSync(page, 'utf8');
  } catch {
    // The first time.
  }
  return { written, made: made() };
}

type Tool = ReturnType<typeof toolOf>;

function made(): string {
  const tools = (operations as readonly Operation<any, any>[]).map(toolOf);
  const intro = `# MCP reference\n\n${generated}\n\nThe tools and resources of \`muster mcp serve\`; [the guide](../guides/mcp.md) says how to use them.\n\nA success is \`{"success": true, "data": …, "tool": …}\`, a failure \`{"error": {"type", "message", "tool", "arguments", "code", "details"}}\` with \`isError\`: as text and as \`structuredContent\`. What \`data\` holds is the answer of the operation of the same name, as [the REST reference](rest.md) has it for the default scheduler.\n\n`;
  const overview = table(
    ['Tool', 'Changes', 'Repeatable', 'A cloud acts'],
    tools.map(({ name, annotations }) => [
      `[\`${name}\`](#${name})`,
      changes(annotations),
      yes(annotations?.idempotentHint),
      yes(annotations?.openWorldHint),
    ]),
  );
  const legend =
    'Changes: `–` nothing (`readOnlyHint`; all that `--read-only` offers), `yes`, or `destroys` (`destructiveHint`). Repeatable: the same call once more changes nothing further (`idempotentHint`). A cloud acts: `openWorldHint`.\n\n';
  const resources = table(
    ['Resource', 'What'],
    resourceTemplates.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]),
  );
  return `${intro}## Tools\n\n${overview}${legend}${tools.map(toolText).join('')}## Resources\n\n${resources}`.replace(/\n+$/, '\n');
}

const yes = (hint: boolean | undefined): string => (hint ? 'yes' : '–');
const changes = (hints: Tool['annotations']): string => (hints?.readOnlyHint ? '–' : hints?.destructiveHint ? 'destroys' : 'yes');

function toolText({ name, description = '', inputSchema }: Tool): string {
  const rows = fieldRows(inputSchema);
  const about = inputSchema['description'] === undefined ? '' : `${String(inputSchema['description'])}\n\n`;
  return `### ${name}\n\n${description}\n\n${about}${rows.length > 0 ? table(['Argument', 'Type', 'Default', 'Meaning'], rows) : 'No arguments.\n\n'}`;
}

if (import.meta.main) writeFileSync(page, mcpPage().made);
