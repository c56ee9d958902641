import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ExecuteOperation } from '../sessions/broker-access.ts';
import { protocolError } from '../tools/protocol-error.ts';
import { resourceKinds, type ResourceKind } from './resource-kinds.ts';

/** A thing that has an address of its own. */
export interface Found {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly description: string;
}

interface Section {
  readonly kind: ResourceKind['name'];
  /** Which of them. */
  readonly where?: Readonly<Record<string, unknown>>;
  describe(entry: any): string;
}

/** What is listed one by one, in this order. Machines are not: there may be ten thousand, and requests have them. */
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

/** Things from where the cursor is, a page or a little more; `next` is the cursor of those after them. */
export async function resourcePage(
  cursor: string | undefined,
  carry: ExecuteOperation,
  signal: AbortSignal,
): Promise<{ readonly found: readonly Found[]; readonly next: string | undefined }> {
  let [at, offset] = readCursor(cursor);
  const found: Found[] = [];
  for (let section = sections[at]; section && found.length < pageSize; section = sections[at]) {
    const { mine, next } = await entriesOf(section, offset, carry, signal);
    found.push(...mine);
    [at, offset] = next === undefined ? [at + 1, 0] : [at, next];
  }
  return { found, next: at < sections.length ? `${at}.${offset}` : undefined };
}

async function entriesOf(
  { kind: name, where, describe }: Section,
  offset: number,
  carry: ExecuteOperation,
  signal: AbortSignal,
): Promise<{ readonly mine: readonly Found[]; readonly next: number | undefined }> {
  const kind = resourceKinds.find((each) => each.name === name) as ResourceKind;
  // The few provider instances have pages alone.
  const place =
    'offset' in kind.list.input.properties
      ? { offset, limit: pageSize }
      : { page: offset / pageSize + 1, page_size: pageSize };
  const answer = (await carry(kind.list, { ...where, ...place }, signal)) as Readonly<Record<string, any>>;
  // What provider instances are called stands in `name`.
  const mine = answer[name].map((entry: Readonly<Record<string, any>>): Found => {
    return { kind, id: String(entry[kind.id] ?? entry['name']), description: describe(entry) };
  });
  // An answer that would have become too large ends before its page does.
  return { mine, next: answer['next_offset'] ?? (mine.length === pageSize ? offset + pageSize : undefined) };
}

function readCursor(cursor = '0.0'): readonly [number, number] {
  const [, at = '', offset = ''] = /^(\d)\.(\d{1,9})$/.exec(cursor) ?? [];
  if (Number(at) < sections.length && offset !== '') return [Number(at), Number(offset)];
  throw protocolError(ErrorCode.InvalidParams, `'${cursor}' is no cursor of this server.`);
}
