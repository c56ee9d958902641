import type { SpanBatch } from './span-batch.ts';

/** A batch for a channel between processes, which sends JSON: there an array of bytes would be a list of numbers. */
export interface JsonBatch extends Omit<SpanBatch, 'bytes'> {
  readonly base64: string;
}

export const batchToJson = ({ bytes, ...batch }: SpanBatch): JsonBatch => ({
  ...batch,
  base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
});

export const batchFromJson = ({ base64, ...batch }: JsonBatch): SpanBatch => ({
  ...batch,
  bytes: Buffer.from(base64, 'base64'),
});
