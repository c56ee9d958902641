import test from 'ava';
import { EventStreamParser } from '../../../host/page/api/event-stream.ts';

const stream =
  ': hello\n\nid: 7\nevent: machine.ready\ndata: {"a":1}\n\nid: 8\r\ndata:x\r\ndata: y\r\nretry: 5\r\n\r\n: \n\n';
const expected = [
  { id: '7', event: 'machine.ready', data: '{"a":1}' },
  { id: '8', event: 'message', data: 'x\ny' },
];

test('a stream is read into messages; comments and unknown fields are skipped', (t) => {
  t.deepEqual(new EventStreamParser().take(stream), expected);
});

test('a stream that is cut anywhere gives the same messages', (t) => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const parser = new EventStreamParser();
    t.deepEqual([...parser.take(stream.slice(0, cut)), ...parser.take(stream.slice(cut))], expected, String(cut));
  }
});
