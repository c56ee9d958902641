import { wrapped } from './fit.ts';
import { printableLine } from '../../process/printable.ts';
import { pairs, table, type TableOptions } from './table.ts';
import { isRow, plainText, type Row } from './values.ts';

/** The most offers that are shown; `--output json` has all. */
const mostOffers = 30;

/** Formats an explanation: the sentence first, then a section for each kind of fact that is there. */
export function explanationText(answer: Row, options: TableOptions): string {
  const sections = [
    head(answer, options),
    section('Selection', selection(answer['selection'], options)),
    section('Order now', order(rowsOf(answer['order']), options)),
    section(attemptsTitle(answer), attempts(rowsOf(answer['attempts']), options)),
    section('Answers of the cloud', outcomes(rowsOf(answer['attempts']), options)),
    section('Missing machines', shortfall(answer, options)),
  ];
  return sections.filter((each) => each !== '').join('\n');
}

function head(answer: Row, options: TableOptions): string {
  const because = printableLine(plainText(answer['because']));
  const lines = options.columns === undefined ? [because] : wrapped(because, options.columns);
  const waiting = answer['waiting_for'];
  const facts: [string, string][] = [
    ['request', plainText(answer['request_id'])],
    ['status', plainText(answer['status'])],
    ...(isRow(waiting) ? [['waiting for', plainText(waiting['what'])] as [string, string]] : []),
    ...(isRow(waiting) && waiting['until'] ? [['until', plainText(waiting['until'])] as [string, string]] : []),
  ];
  return `${lines.join('\n')}\n\n${pairs(facts, options)}`;
}

const section = (title: string, text: string): string => (text === '' ? '' : `${title}\n${text}`);

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

function rowsTable(head: readonly string[], rows: readonly (readonly unknown[])[], options: TableOptions): string {
  const text = rows.map((row) => row.map(plainText));
  // Columns without any value are omitted.
  const shown = [...head.keys()].filter((column) => text.some((row) => row[column] !== ''));
  return text.length === 0
    ? ''
    : table(
        shown.map((column) => head[column] ?? ''),
        text.map((row) => shown.map((column) => row[column] ?? '')),
        options,
      );
}

function selection(value: unknown, options: TableOptions): string {
  if (!isRow(value)) return '';
  const rows = rowsOf(value['candidates']).map(({ provider_instance, eligible, reasons }) => [
    provider_instance,
    provider_instance === value['provider_instance'] ? 'selected' : eligible === true ? 'eligible' : 'rejected',
    (reasons as readonly string[]).join('; '),
  ]);
  return rowsTable(['provider_instance', 'result', 'reason'], rows, options);
}

function order(instances: readonly Row[], options: TableOptions): string {
  const rows = instances.flatMap(({ provider_instance, api, offers }) => {
    const its = rowsOf(offers);
    if (its.length === 0) return [[provider_instance, api, '', '', '', '']];
    return its.map(({ key, state, short_since, tried_again_at }) => [
      provider_instance,
      api,
      key,
      state,
      short_since,
      tried_again_at,
    ]);
  });
  const left = rows.length - mostOffers;
  const made = rowsTable(
    ['provider_instance', 'api', 'offer', 'state', 'short_since', 'tried_again_at'],
    rows.slice(0, mostOffers),
    options,
  );
  return left > 0 ? `${made}${left} further offers; --output json shows all.\n` : made;
}

function attemptsTitle({ attempts: shown, attempt_count }: Row): string {
  const count = rowsOf(shown).length;
  return typeof attempt_count === 'number' && attempt_count > count
    ? `Orders (the last ${count} of ${attempt_count})`
    : 'Orders';
}

const attempts = (all: readonly Row[], options: TableOptions): string =>
  rowsTable(
    [
      '#',
      'provider_instance',
      'api',
      'machines',
      'state',
      'created_at',
      'ended_at',
      'reason',
      'offers',
      'cloud_request_ids',
    ],
    all.map((each) => [
      each['attempt'],
      each['provider_instance'],
      each['api'],
      each['machine_count'],
      each['state'],
      each['created_at'],
      each['ended_at'],
      each['reason'],
      shortened(each['offers']),
      shortened(each['cloud_request_ids']),
    ]),
    options,
  );

/** The most entries of a list in one cell. */
const mostEntries = 3;

function shortened(list: unknown): string {
  const entries = Array.isArray(list) ? list.map(plainText) : [];
  const left = entries.length - mostEntries;
  return left > 0 ? `${entries.slice(0, mostEntries).join(', ')} and ${left} others` : entries.join(', ');
}

const outcomes = (all: readonly Row[], options: TableOptions): string =>
  rowsTable(
    ['#', 'at', 'code', 'count', 'offer', 'message'],
    all.flatMap(({ attempt, outcomes: its }) =>
      rowsOf(its).map(({ at, code, count, offer, message }) => [attempt, at, code, count, offer, message]),
    ),
    options,
  );

/** Without the messages that the answers of the cloud show already. */
function shortfall({ shortfall: reasons, attempts: all }: Row, options: TableOptions): string {
  const shown = new Set(rowsOf(all).flatMap((each) => rowsOf(each['outcomes']).map(({ message }) => message)));
  return rowsTable(
    ['machines', 'kind', 'code', 'offer', 'message'],
    rowsOf(reasons).map(({ count, kind, code, offer, message }) => [
      count,
      kind,
      code,
      offer,
      shown.has(message) ? '' : message,
    ]),
    options,
  );
}
