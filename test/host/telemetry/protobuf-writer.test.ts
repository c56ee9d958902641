import test from 'ava';
import { ProtobufWriter } from '../../../host/telemetry/export/protobuf/protobuf-writer.ts';

/** The capacity that a writer begins with. */
const capacity = 131_072;
const full = Buffer.alloc(capacity, 7);

const writes: Readonly<Record<string, (writer: ProtobufWriter) => void>> = {
  unsigned: (writer) => writer.unsigned(16, 0xffff_ffff),
  signed: (writer) => writer.signed(16, -1),
  fixed32: (writer) => writer.fixed32(16, 0xffff_ffff),
  microseconds: (writer) => writer.microseconds(16, 1_764_370_000_123_456),
  double: (writer) => writer.double(16, Math.PI),
  hex: (writer) => writer.hex(16, 'fe'.repeat(16)),
  text: (writer) => writer.text(16, 'x'.repeat(130)),
  'text of many bytes a character': (writer) => writer.text(16, `x${'最長'.repeat(70)}`),
  'message that is longer than was thought': (writer) => {
    const begin = writer.open(16);
    writer.text(1, 'x'.repeat(200));
    writer.close(begin);
  },
  'message that is shorter than was thought': (writer) => {
    const begin = writer.open(16, 3);
    writer.text(1, 'x');
    writer.close(begin, 3);
  },
};

for (const [name, write] of Object.entries(writes))
  test(`a field that meets the end of the buffer is whole: ${name}`, (t) => {
    const alone = new ProtobufWriter();
    write(alone);
    const expected = Buffer.from(alone.written());
    t.true(expected.length > 2);
    for (let left = 0; left <= expected.length + 72; left += 1) {
      const writer = new ProtobufWriter();
      writer.parts(full.subarray(left));
      const before = writer.size;
      write(writer);
      const written = writer.written();
      t.is(written.length, before + expected.length);
      if (!expected.equals(written.subarray(before))) t.fail(`with ${left} bytes left`);
      if (!full.subarray(left).equals(written.subarray(0, before))) t.fail(`what is before, with ${left} bytes left`);
    }
  });
