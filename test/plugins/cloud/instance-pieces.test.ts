import test from 'ava';
import fc from 'fast-check';
import { instancePieces } from '../../../plugins/cloud/connection/answers/instance-pieces.ts';

const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">';
const tail = '<nextToken>more</nextToken></DescribeInstancesResponse>\n';

const machine = (id: number) =>
  `<item><instanceId>i-${id}</instanceId><groupSet><item><groupId>sg-1</groupId></item></groupSet><tagSet><item><key>a</key><value>&lt;item&gt;</value></item></tagSet><networkInterfaceSet/></item>`;
const reservation = (index: number, machines: readonly number[]) =>
  `<item><reservationId>r-${index}</reservationId><groupSet><item><groupId>sg-0</groupId></item></groupSet>${
    machines.length === 0 ? '<instancesSet/>' : `<instancesSet>${machines.map(machine).join('')}</instancesSet>`
  }<requesterId>me</requesterId></item>`;

/** An answer with reservations of so many machines each. */
function answerOf(sizes: readonly number[]): string {
  let id = 0;
  const reservations = sizes.map((size, index) =>
    reservation(
      index,
      Array.from({ length: size }, () => id++),
    ),
  );
  const list =
    reservations.length === 0 ? '<reservationSet/>' : `<reservationSet>${reservations.join('')}</reservationSet>`;
  return `${head}<requestId>q</requestId>${list}${tail}`;
}

const idsIn = (text: string) => [...text.matchAll(/<instanceId>(i-\d+)</g)].map(([, id]) => id);
const count = (text: string, mark: string) => text.split(mark).length - 1;

test('each piece is a valid answer of bounded size, and together they contain each machine once and in order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 7 }), { maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (sizes, most) => {
      const answer = answerOf(sizes);
      const pieces = [...instancePieces(answer, most)];
      for (const piece of pieces) {
        t.true(idsIn(piece).length <= most);
        t.true(piece.startsWith(head) && piece.trimEnd().endsWith('</DescribeInstancesResponse>'));
        for (const name of ['item', 'instancesSet', 'reservationSet', 'groupSet', 'tagSet'])
          t.is(count(piece, `<${name}>`), count(piece, `</${name}>`), piece);
      }
      t.deepEqual(pieces.flatMap(idsIn), idsIn(answer));
      t.is(pieces.filter((piece) => piece.includes('<nextToken>')).length, 1);
    }),
  );
});

test('an answer that is no list of machines is not split', (t) => {
  for (const answer of [
    '',
    'no XML',
    '<Response><Errors><Error><Code>x</Code></Error></Errors></Response>',
    answerOf([]),
  ])
    t.deepEqual([...instancePieces(answer, 1)], [answer]);
});
