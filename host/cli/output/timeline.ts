import { detailText, machineText } from './event-line.ts';
import { wrapped } from './fit.ts';
import { printableLine } from '../../process/printable.ts';
import { table, type TableOptions } from './table.ts';
import { isRow, plainText, type Row } from './values.ts';
import { width } from './width.ts';

/** The most events that are shown; `muster events --request-id` shows all. */
const mostEvents = 40;
/** The width of the picture where the output is not a terminal, and the narrowest one. */
const usualBar = 40;
const narrowestBar = 10;
const full = '█';
/** Parts of a character, by eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Stage {
  readonly name: string;
  /** Milliseconds since the acceptance; undefined: not reached. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Formats a timeline: a bar for each stage from the one before, then the events. */
export function timelineText(answer: Row, options: TableOptions): string {
  const milestones = isRow(answer['milestones']) ? answer['milestones'] : {};
  const head = text(`${plainText(answer['request_id'])} accepted at ${plainText(milestones['accepted'])}`, options);
  const events = Array.isArray(answer['events']) ? answer['events'].filter(isRow) : [];
  return `${head}\n${waterfall(stagesOf(answer), options)}\n${eventsTable(events, milestones, answer, options)}`;
}

/** Each stage begins with the last one that was reached before. */
function stagesOf({ durations_ms }: Row): readonly Stage[] {
  let from = 0;
  return Object.entries(isRow(durations_ms) ? durations_ms : {}).map(([name, value]) => {
    const to = typeof value === 'number' ? value : undefined;
    const stage = { name, from, to };
    from = Math.max(from, to ?? from);
    return stage;
  });
}

/**
 * The use of the machines is much longer than their start, so the picture ends with the last stage before it, unless
 * the return is the only one.
 */
function waterfall(stages: readonly Stage[], options: TableOptions): string {
  const before = stages.filter(({ name, to }) => name !== 'returned' && to !== undefined);
  const scale = before.at(-1)?.to ?? stages.at(-1)?.to ?? 0;
  const names = stages.map(({ name }) => name.replaceAll('_', ' '));
  const times = stages.map(({ to }) => (to === undefined ? 'not reached' : `after ${duration(to)}`));
  const [nameWidth, timeWidth] = [Math.max(0, ...names.map(width)), Math.max(0, ...times.map(width))];
  const room = options.columns === undefined ? usualBar : options.columns - nameWidth - timeWidth - 4;
  return stages
    .map((stage, index) => {
      const label = `${(names[index] ?? '').padEnd(nameWidth)}  ${times[index] ?? ''}`;
      if (room < narrowestBar) return `${label}\n`;
      return `${label.padEnd(nameWidth + 2 + timeWidth)}  ${bar(stage, scale, room)}`.trimEnd().concat('\n');
    })
    .join('');
}

/** The bar of a stage at its place in the picture, at least a thin line. An arrow leads beyond the picture. */
function bar({ from = 0, to }: Stage, scale: number, room: number): string {
  if (to === undefined) return '';
  const place = (ms: number) => (scale === 0 ? 0 : (Math.min(ms, scale) / scale) * (room - 1));
  if (to > scale) return `${' '.repeat(Math.floor(place(from)))}→`;
  const begin = Math.floor(place(from));
  const length = Math.max(1 / 8, place(to) - begin);
  const whole = Math.floor(length);
  const part = whole >= room - begin ? '' : (eighths[Math.round((length - whole) * 8) % 8] ?? '');
  return `${' '.repeat(begin)}${full.repeat(whole)}${part === '' && whole === 0 ? '▏' : part}`;
}

function eventsTable(events: readonly Row[], milestones: Row, answer: Row, options: TableOptions): string {
  const start = Date.parse(plainText(milestones['accepted']));
  const shown = events.slice(0, mostEvents);
  const rows = shown.map((event) => [
    `+${duration(Math.max(0, Date.parse(plainText(event['at'])) - start))}`,
    plainText(event['type']),
    machineText(event as never),
    plainText(event['provider_instance']),
    detailText(event as never),
  ]);
  const made = table(['time', 'event', 'machine', 'provider_instance', 'details'], rows, options);
  const left = events.length - shown.length;
  if (left === 0 && answer['more'] !== true) return made;
  const more = answer['more'] === true ? 'More than ' : '';
  const all = `muster events --request-id ${plainText(answer['request_id'])} --after 0`;
  return `${made}${text(`${more}${left} further events: ${all}`, options)}`;
}

const text = (line: string, { columns = Infinity }: TableOptions): string =>
  wrapped(printableLine(line), columns)
    .map((each) => `${each}\n`)
    .join('');

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `340 ms`, `21.3 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const [unit, size] = units.find((each) => ms >= each[1]) ?? units[2];
  const [below, part] = unit === 'd' ? ['h', 3_600_000] : unit === 'h' ? ['min', 60_000] : ['s', 1_000];
  const rest = Math.floor((ms % size) / Number(part));
  return `${Math.floor(ms / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${below}`}`;
}
