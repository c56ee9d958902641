import test from 'ava';
import fc from 'fast-check';
import { RowCutter } from '../../../plugins/cloud/connection/answers/row-cutter.ts';

const space = '\n    ';
const machine = (id: number) =>
  `<item><instanceId>i-${id}</instanceId>${space}<groupSet><item><groupId>sg-1</groupId></item></groupSet><tagSet><item><key>a</key><value>&lt;/item&gt;</value></item></tagSet><networkInterfaceSet/><events><item/></events></item>`;
const listOf = (name: string, rows: readonly string[]) =>
  rows.length === 0 ? `<${name} of="a" />` : `<${name} type="list">${space}${rows.join(space)}${space}</${name}>`;
const answerOf = (operation: string, list: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${operation}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${space}<requestId>q</requestId>${list}<nextToken>more</nextToken></${operation}Response>\n`;

/** Answers with groups of so many machines each, and the path of their rows. */
const forms = {
  reservations: {
    path: ['reservationSet', 'item', 'instancesSet'],
    answer(sizes: readonly number[]) {
      let id = 0;
      const reservations = sizes.map(
        (size, index) =>
          `<item><reservationId>r-${index}</reservationId><groupSet><item><groupId>sg-0</groupId><nested><item>x</item></nested></item></groupSet>${listOf(
            'instancesSet',
            Array.from({ length: size }, () => machine(id++)),
          )}<requesterId>me</requesterId></item>`,
      );
      return answerOf('DescribeInstances', listOf('reservationSet', reservations));
    },
  },
  statuses: {
    path: ['instanceStatusSet'],
    answer: (sizes: readonly number[]) =>
      answerOf(
        'DescribeInstanceStatus',
        listOf(
          'instanceStatusSet',
          sizes.flatMap((size, at) => Array.from({ length: size }, (_, index) => machine(at * 10 + index))),
        ),
      ),
  },
} as const;

const machinesIn = (text: string) => [...text.matchAll(/<instanceId>(i-\d+)</g)].map(([, id]) => id);
const count = (text: string, mark: string) => text.split(mark).length - 1;
/** The text in parts of such lengths, again and again. */
function partsOf(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

for (const [name, { path, answer }] of Object.entries(forms))
  test(`${name}: each machine is cut out whole, in order, wherever the parts of the answer end`, (t) => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
        (sizes, lengths) => {
          const whole = answer(sizes);
          const cutter = new RowCutter([...path]);
          const rows = partsOf(whole, lengths).flatMap((part) => [...cutter.cut(part)]);
          t.deepEqual(rows.map(machinesIn).flat(), machinesIn(whole));
          for (const row of rows) {
            t.is(machinesIn(row).length, 1);
            t.is(row, machine(Number(machinesIn(row)[0]?.slice(2))));
          }
          t.is(cutter.list, 'complete');
          const rest = cutter.wholeWith([]);
          t.deepEqual(machinesIn(rest), []);
          t.is(count(rest, '<nextToken>more</nextToken>'), 1);
          const some = rows.slice(1, 3);
          const piece = cutter.partWith(some);
          t.deepEqual(machinesIn(cutter.wholeWith(some)), rows.length > 0 ? machinesIn(piece) : []);
          t.deepEqual(machinesIn(piece), some.flatMap(machinesIn));
          for (const text of rows.length > 0 ? [rest, piece] : [rest])
            for (const tag of [
              'item',
              ...path,
              'groupSet',
              'DescribeInstancesResponse',
              'DescribeInstanceStatusResponse',
            ])
              t.is(
                count(text, `<${tag}>`) + count(text, `<${tag} `) - count(text, `<${tag} of="a" />`),
                count(text, `</${tag}>`),
                text,
              );
        },
      ),
    );
  });

test('an answer that ends within its list is known to be incomplete, and one without a list too', (t) => {
  const whole = forms.reservations.answer([2, 1]);
  const [from, to] = [whole.indexOf('>', whole.indexOf('<reservationSet ')) + 1, whole.indexOf('</reservationSet>')];
  for (let end = from; end < to + '</reservationSet>'.length; end++) {
    const cutter = new RowCutter([...forms.reservations.path]);
    const rows = partsOf(whole.slice(0, end), [7]).flatMap((part) => [...cutter.cut(part)]);
    t.true(rows.length <= 3);
    t.is(cutter.list, 'open');
  }
  for (const text of ['', 'no XML', '<Response><Errors><Error><Code>x</Code></Error></Errors></Response>']) {
    const cutter = new RowCutter([...forms.reservations.path]);
    for (const part of partsOf(text, [3])) t.deepEqual([...cutter.cut(part)], []);
    t.is(cutter.list, 'absent');
  }
});

test('tags in comments and raw text are no tags, wherever the parts of the answer end', (t) => {
  const rows = [
    `<item><instanceId>i-1</instanceId><!-- ${machine(8)} </item> --></item>`,
    '<item><instanceId>i-2</instanceId><value><![CDATA[</item></instancesSet><item>]]></value></item>',
  ];
  const list = `<!-- <reservationSet> --><reservationSet><item><instancesSet>${rows.join(`<!--${machine(9)}-->`)}</instancesSet></item><!-- </reservationSet> --></reservationSet>`;
  const whole = `<!-- <other> -->${answerOf('DescribeInstances', list)}`;
  for (let length = 1; length < 80; length++) {
    const cutter = new RowCutter([...forms.reservations.path]);
    t.deepEqual(
      partsOf(whole, [length]).flatMap((part) => [...cutter.cut(part)]),
      rows,
    );
    t.is(cutter.list, 'complete');
    t.true(cutter.partWith([]).endsWith('</reservationSet></DescribeInstancesResponse>'));
  }
});

test('a text without an end is refused, and a tag full of spaces takes no time', (t) => {
  const path = [...forms.reservations.path] as const;
  for (const begin of ['', '<a>', '<reservationSet><item><instancesSet><item>', '<reservationSet><!--']) {
    const cutter = new RowCutter([...path]);
    const read = () => {
      for (const part of partsOf(begin + 'x<b '.repeat(1_000_000), [65_536])) [...cutter.cut(part)].at(0);
    };
    t.throws(read, { message: /without a row/ });
  }
  const cutter = new RowCutter([...path]);
  t.deepEqual([...cutter.cut(`<reservationSet${' '.repeat(500_000)}x`)], []);
});
