import { Type } from 'typebox';
import { BrokerError } from '../../contract/errors.ts';
import { marketWord, type Market } from '../../model/market.ts';
import { noUsage, plusAmounts, usageFields, type Amounts, type UsageField } from '../../model/usage/usage.ts';
import { mostUsageTags } from '../../model/usage/usage-tags.ts';
import { fieldsOf, type KindFields } from '../../requests/usage/usage-query.ts';
import { operation } from '../operation.ts';
import { turn } from '../../collections/turn.ts';

const dayMs = 86_400_000;
const mostDays = 400;
/** Before the name of a tag in `group_by`. */
const tagPrefix = 'tag:';
/** Rows that are summed up before other work of the thread runs. */
const rowsAtOnce = 2_000;

const day = (description: string) => Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description }));
const defaultGroups: readonly string[] = ['template_id'];
const columnsOf = ({ group_by = defaultGroups }: { readonly group_by?: unknown }): readonly string[] => [
  ...(group_by as readonly string[]),
  ...Object.keys(Row.properties).filter((name) => name !== 'group'),
];
const number = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const Row = Type.Object({
  group: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
    description: 'The value of each field of `group_by`. null: the provider did not tell it, or there is no such tag.',
  }),
  machine_seconds: Type.Number(),
  vcpu_seconds: number('null: the number of vCPUs of none of the machines is known.'),
  usd: number('US dollars. null: the price of none of the machines is known.'),
  unsized_machine_seconds: Type.Number({ description: 'Of machines that `vcpu_seconds` leaves out.' }),
  unpriced_machine_seconds: Type.Number({ description: 'Of machines that `usd` leaves out.' }),
  untagged_machine_seconds: Type.Number({
    description:
      'Of machines whose value of a tag in `group_by` was not kept, and is null: they were requested before `usage.tags` named it, or too many different values came on that day.',
  }),
});

export const getUsage = operation('GetUsageQuery', {
  summary:
    'Show how long machines were used, with vCPUs and US dollars, in whole UTC days. Counts from the launch of a machine to its accepted release, also of machines whose records were removed.',
  input: Type.Object(
    {
      from: day('The first UTC day, `YYYY-MM-DD`. Default: the first of the month of `to`.'),
      to: day('The last UTC day, included. Default: today.'),
      group_by: Type.Optional(
        Type.Array(Type.String({ pattern: `^(${usageFields.join('|')}|tag:.{1,128})$` }), {
          maxItems: usageFields.length + mostUsageTags,
          uniqueItems: true,
          default: ['template_id'],
          description: `The fields by which rows are made: ${usageFields.map((field) => `\`${field}\``).join(', ')}, and \`tag:NAME\` with a name of \`usage.tags\` in the configuration. Empty: one row.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ from: Type.String(), to: Type.String(), rows: Type.Array(Row) }),
  rest: { method: 'GET', path: '/usage', limit: 'read', csv: { list: 'rows', columns: columnsOf } },
  cli: {
    command: 'usage show',
    example: 'muster usage show --from 2026-01-01 --to 2026-01-31 --group-by machine_type,market',
  },
  async handle({ from, to, group_by = ['template_id'] }, { usage, clock }) {
    const last = to ?? new Date(clock.now()).toISOString().slice(0, 10);
    const first = from ?? `${last.slice(0, 7)}-01`;
    const days = daysOf(first, last);
    const tags = group_by.flatMap((by) => (by.startsWith(tagPrefix) ? by.slice(tagPrefix.length) : []));
    const unknown = tags.find((name) => !usage.tags.includes(name));
    if (unknown !== undefined) throw notKept(unknown, usage.tags);
    const sums = new Map<string, { group: Group; amounts: Amounts; untagged_ms: number }>();
    for (const [index, { kind, amounts }] of (await usage.rows(days)).entries()) {
      if (index % rowsAtOnce === rowsAtOnce - 1) await turn();
      const known = fieldsOf(kind);
      const group = Object.fromEntries(group_by.map((by) => [by, valueOf(by, known)]));
      const key = JSON.stringify(group);
      const sum = sums.get(key);
      const isTagged = tags.every((name) => Object.hasOwn(known.tags, name));
      sums.set(key, {
        group,
        amounts: plusAmounts(sum?.amounts ?? noUsage, amounts),
        untagged_ms: (sum?.untagged_ms ?? 0) + (isTagged ? 0 : amounts.machine_ms),
      });
    }
    const rows = [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { group, amounts, untagged_ms }]) => rowOf(group, amounts, untagged_ms));
    return { from: first, to: last, rows };
  },
});

const notKept = (name: string, kept: readonly string[]) =>
  new BrokerError(
    'INVALID_REQUEST',
    `/group_by: use is not summed up by the tag '${name}'. Add it to usage.tags in the configuration, which has ${kept.length === 0 ? 'none' : kept.map((each) => `'${each}'`).join(', ')}.`,
  );

type Group = Readonly<Record<string, string | null>>;

function valueOf(by: string, { fields, tags }: KindFields): string | null {
  const tag = by.startsWith(tagPrefix) ? by.slice(tagPrefix.length) : undefined;
  if (tag !== undefined) return Object.hasOwn(tags, tag) ? (tags[tag] ?? null) : null;
  const value = fields[by as UsageField];
  return by === 'market' && value !== null ? marketWord(value as Market) : value;
}

function rowOf(group: Group, amounts: Amounts, untagged_ms: number) {
  const { machine_ms, vcpu_ms, unsized_ms, usd, unpriced_ms } = amounts;
  return {
    group,
    machine_seconds: seconds(machine_ms),
    vcpu_seconds: unsized_ms >= machine_ms ? null : seconds(vcpu_ms),
    usd: unpriced_ms >= machine_ms ? null : Math.round(usd * 1e6) / 1e6,
    unsized_machine_seconds: seconds(unsized_ms),
    unpriced_machine_seconds: seconds(unpriced_ms),
    untagged_machine_seconds: seconds(untagged_ms),
  };
}

const seconds = (ms: number): number => Math.round(ms) / 1000;

function daysOf(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const no = (path: string, why: string) => new BrokerError('INVALID_REQUEST', `/${path}: ${why}`);
  if (!isDay(first, from)) throw no('from', `'${from}' is no day`);
  if (!isDay(last, to)) throw no('to', `'${to}' is no day`);
  if (last < first) throw no('to', `'${to}' is before '${from}'`);
  const count = (last - first) / dayMs + 1;
  if (count > mostDays) throw no('from', `at most ${mostDays} days are summed up at once, and these are ${count}`);
  return Array.from({ length: count }, (_, i) => new Date(first + i * dayMs).toISOString().slice(0, 10));
}

const isDay = (at: number, text: string): boolean =>
  !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
