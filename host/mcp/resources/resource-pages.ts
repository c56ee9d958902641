import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ExecuteOperation } from '../sessions/broker-access.ts';
import { protocolError } from '../tools/protocol-error.ts';
import { resourceKinds, type ResourceKind } from './resource-kinds.ts';

/** An entry with its own address. */
export interface Found {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly description: string;
}

interface Section {
  readonly kind: ResourceKind['name'];
  /** The filter of the list. */
  readonly where?: Readonly<Record<string, unknown>>;
  describe(entry: any): string;
}

/**
 * The entries that have an address in the list of resources, in this order. Machines are not listed: there may be ten
 * thousand, and requests contain them.
 */
const sections: readonly Section[] = [
  {
    kind: 'templates',
    describe: ({ name, description, machine_type }) => description ?? name ?? machine_type ?? 'A template.',
  },
  { kind: 'providers', describe: ({ type, status }) => `A provider instance of type ${type}, ${status}.` },
  ...(['in_progress', 'pending'] as const).map((status) => ({
    kind: 'requests' as const,
    where: { status },
    describe: ({ requested_count, template_id, message }: any) =>
      `${requested_count} from ${template_id ?? 'several templates'}. ${message}`,
  })),
];

const pageSize = 200;

/** Returns about one page of entries from the cursor; `next` is the cursor of the following page. */
export async function resourcePage(
  cursor: string | undefined,
  execute: ExecuteOperation,
  signal: AbortSignal,
): Promise<{ readonly found: readonly Found[]; readonly next: string | undefined }> {
  let [at, offset] = readCursor(cursor);
  const found: Found[] = [];
  for (let section = sections[at]; section && found.length < pageSize; section = sections[at]) {
    const { entries, next } = await entriesOf(section, offset, execute, signal);
    found.push(...entries);
    [at, offset] = next === undefined ? [at + 1, 0] : [at, next];
  }
  return { found, next: at < sections.length ? `${at}.${offset}` : undefined };
}

async function entriesOf(
  { kind: name, where, describe }: Section,
  offset: number,
  execute: ExecuteOperation,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly Found[]; readonly next: number | undefined }> {
  const kind = resourceKinds.find((each) => each.name === name) as ResourceKind;
  // Provider instances support only pages.
  const place =
    'offset' in kind.list.input.properties
      ? { offset, limit: pageSize }
      : { page: offset / pageSize + 1, page_size: pageSize };
  const answer = (await execute(kind.list, { ...where, ...place }, signal)) as Readonly<Record<string, any>>;
  // The id of a provider instance is in `name`.
  const entries = answer[name].map((entry: Readonly<Record<string, any>>): Found => {
    return { kind, id: String(entry[kind.id] ?? entry['name']), description: describe(entry) };
  });
  // An answer ends early when it would become too large.
  return { entries, next: answer['next_offset'] ?? (entries.length === pageSize ? offset + pageSize : undefined) };
}

function readCursor(cursor = '0.0'): readonly [number, number] {
  const [, at = '', offset = ''] = /^(\d)\.(\d{1,9})$/.exec(cursor) ?? [];
  if (Number(at) < sections.length && offset !== '') return [Number(at), Number(offset)];
  throw protocolError(ErrorCode.InvalidParams, `'${cursor}' is not a cursor of this server.`);
}
