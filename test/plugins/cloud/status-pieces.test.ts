import test from 'ava';
import fc from 'fast-check';
import { statusPieces } from '../../../plugins/cloud/connection/answers/status-pieces.ts';

const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n<DescribeInstanceStatusResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">';
const tail = '<nextToken>more</nextToken></DescribeInstanceStatusResponse>\n';

const machine = (id: number, events: number) =>
  `<item><instanceId>i-${id}</instanceId>${events === 0 ? '<eventsSet/>' : `<eventsSet>${'<item><code>instance-retirement</code></item>'.repeat(events)}</eventsSet>`}<systemStatus><details><item><name>reachability</name></item></details></systemStatus></item>`;

/** An answer about one machine for each number, with so many events. */
function answerOf(events: readonly number[]): string {
  const list =
    events.length === 0
      ? '<instanceStatusSet/>'
      : `<instanceStatusSet>${events.map((each, id) => machine(id, each)).join('')}</instanceStatusSet>`;
  return `${head}<requestId>q</requestId>${list}${tail}`;
}

const idsIn = (text: string) => [...text.matchAll(/<instanceId>(i-\d+)</g)].map(([, id]) => id);
const count = (text: string, mark: string) => text.split(mark).length - 1;

test('each piece of a status answer is a valid answer, and together they contain each machine once and in order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 }), { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (events, most) => {
      const answer = answerOf(events);
      const pieces = [...statusPieces(answer, most)];
      for (const piece of pieces) {
        t.true(idsIn(piece).length <= most);
        t.true(piece.startsWith(head) && piece.trimEnd().endsWith('</DescribeInstanceStatusResponse>'));
        for (const name of ['item', 'instanceStatusSet', 'eventsSet', 'details'])
          t.is(count(piece, `<${name}>`), count(piece, `</${name}>`), piece);
      }
      t.deepEqual(pieces.flatMap(idsIn), idsIn(answer));
      t.is(pieces.filter((piece) => piece.includes('<nextToken>')).length, 1);
    }),
  );
});

test('a status answer without machines is not split', (t) => {
  for (const answer of [
    '',
    'no XML',
    '<Response><Errors><Error><Code>x</Code></Error></Errors></Response>',
    answerOf([]),
  ])
    t.deepEqual([...statusPieces(answer, 1)], [answer]);
});
