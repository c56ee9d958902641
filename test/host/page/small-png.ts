import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A picture as rows of red, green and blue. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const mostColors = 256;

/**
 * Makes a screenshot several times smaller: it keeps the most frequent colors, and gives other pixels the nearest one.
 * Takes a PNG of 8 bits a channel without interlacing, as browsers make them.
 */
export function smallPng(png: Uint8Array): Buffer {
  const { width, height, rgb } = decoded(Buffer.from(png));
  const counts = new Map<number, number>();
  const colorAt = (pixel: number): number =>
    ((rgb[3 * pixel] as number) << 16) | ((rgb[3 * pixel + 1] as number) << 8) | (rgb[3 * pixel + 2] as number);
  for (let pixel = 0; pixel < width * height; pixel += 1)
    counts.set(colorAt(pixel), (counts.get(colorAt(pixel)) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostColors)
    .map(([color]) => color);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const color = colorAt(pixel);
    let index = indexes.get(color);
    if (index === undefined) indexes.set(color, (index = nearest(color, palette)));
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  return encoded(width, height, palette, rows);
}

/** The index of the most similar color. */
function nearest(color: number, palette: readonly number[]): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce((sum, bits) => sum + (((color >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0);
  let best = 0;
  for (let index = 1; index < palette.length; index += 1)
    if (distance(palette[index] as number) < distance(palette[best] as number)) best = index;
  return best;
}

function decoded(png: Buffer): Pixels {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 4];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR')
      [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] === 2 ? 3 : 4];
    if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const rgb = new Uint8Array(width * height * 3);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    const row = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1)
      row[x] = (row[x] as number) + predicted(filter, row[x - channels] ?? 0, above[x] ?? 0, above[x - channels] ?? 0);
    for (let x = 0; x < width; x += 1) rgb.set(row.subarray(x * channels, x * channels + 3), 3 * (y * width + x));
    above = row;
  }
  return { width, height, rgb };
}

/** What a filter of PNG adds to a byte, from the bytes to the left, above, and above to the left. */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
}

function encoded(width: number, height: number, colors: readonly number[], rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
