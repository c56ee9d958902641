import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { CarryOperation } from './broker-access.ts';
import { refusal } from './refusal.ts';
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
  { kind: 'templates', describe: ({ name, description, machine_type }) => description ?? name ?? machine_type ?? 'A template.' },
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
  carry: CarryOperation,
  signal: AbortSignal,
): Promise<{ readonly found: readonly Found[]; readonly next: string | undefined }> {
  let [at, page] = readCursor(cursor);
  const found: Found[] = [];
  for (let section = sections[at]; section && found.length < pageSize; section = sections[at]) {
    const mine = await entriesOf(section, page, carry, signal);
    found.push(...mine);
    [at, page] = mine.length === pageSize ? [at, page + 1] : [at + 1, 1];
  }
  return { found, next: at < sections.length ? `${at}.${page}` : undefined };
}

async function entriesOf(
  { kind: name, where, describe }: Section,
  page: number,
  carry: CarryOperation,
  signal: AbortSignal,
): Promise<Found[]> {
  const kind = resourceKinds.find((each) => each.name === name) as ResourceKind;
  const answer = (await carry(kind.list, { ...where, page, page_size: pageSize }, signal)) as Readonly<Record<string, any>>;
  // What provider instances are called stands in `name`.
  return answer[name].map((entry: Readonly<Record<string, any>>) => {
    return { kind, id: String(entry[kind.id] ?? entry['name']), description: describe(entry) };
  });
}

function readCursor(cursor = '0.1'): readonly [number, number] {
  const [, at = '', page = ''] = /^(\d)\.([1-9]\d{0,6})$/.exec(cursor) ?? [];
  if (Number(at) < sections.length && page !== '') return [Number(at), Number(page)];
  throw refusal(ErrorCode.InvalidParams, `'${cursor}' is no cursor of this server.`);
}
