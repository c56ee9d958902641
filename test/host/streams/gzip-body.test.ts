import { constants, createGunzip, crc32, gunzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { joined, shiftOf } from '../../../host/streams/checksum.ts';
import { GzipBody } from '../../../host/streams/gzip-body.ts';
import { SharedBytes } from '../../../host/streams/shared-bytes.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 50 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => Buffer.from(text)),
  // Longer than a stored block, and than the window of a decoder.
  fc
    .record({ of: fc.uint8Array({ minLength: 1, maxLength: 9 }), length: fc.integer({ min: 60_000, max: 200_000 }) })
    .map(({ of, length }) => Buffer.alloc(length, of)),
);

test('a body of parts in any order decodes to them, and so does every beginning of it', async (t) => {
  const shared = new SharedBytes(Buffer.from('what all answers have'));
  const part = fc.record({ bytes: fc.oneof(fc.constant(shared.plain), bytes), isShared: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const body = new GzipBody();
      const decoder = createGunzip();
      const sent: Buffer[] = [];
      const got: Buffer[] = [];
      let length = 0;
      decoder.on('data', (some: Buffer) => got.push(some));
      for (const each of parts) {
        const plain = Buffer.from(each.bytes);
        const isKnown = each.bytes === shared.plain;
        const encoded = each.isShared ? body.shared(isKnown ? shared : new SharedBytes(plain)) : body.stored(plain);
        sent.push(encoded);
        length += plain.length;
        await new Promise<void>((resolve) => void decoder.write(encoded, () => resolve()));
        await new Promise<void>((resolve) => void decoder.flush(constants.Z_SYNC_FLUSH, () => resolve()));
        if (Buffer.concat(got).length !== length) t.fail('a part is not decoded when it has arrived');
      }
      sent.push(body.end());
      decoder.destroy();
      if (!gunzipSync(Buffer.concat(sent)).equals(Buffer.concat(parts.map((each) => each.bytes)))) t.fail('differs');
    }),
    { numRuns: 150 },
  );
  t.pass();
});

test('the checksum of two texts is made of those of each', (t) => {
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const whole = crc32(Buffer.concat([first, second]));
      return joined(crc32(first), crc32(second), shiftOf(second.length)) === whole;
    }),
  );
  t.is(joined(crc32('a'), 0, shiftOf(0)), crc32('a'));
});

test('shared bytes are compressed once, and are smaller', (t) => {
  const text = Array.from({ length: 500 }, (_, seq) => JSON.stringify({ seq, type: 'machine.launched' })).join('\n');
  const shared = new SharedBytes(Buffer.from(text));
  const [one, other] = [new GzipBody(), new GzipBody()].map((body) => {
    body.stored(Buffer.from('begin'));
    return body.shared(shared);
  });
  t.is(one, other);
  t.true((one?.length ?? Infinity) < text.length / 4);
});
