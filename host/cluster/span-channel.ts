import { batchToJson, type JsonBatch } from '../telemetry/batch/batch-as-json.ts';
import type { SpanBatch } from '../telemetry/batch/span-batch.ts';

/** Batches on the way to the primary, at most. */
const mostOnTheWay = 16;

/**
 * Sends spans of a worker to the primary. They are dropped while the primary does not read its messages: then calls of
 * this worker fail too.
 */
export function spanChannel(send: (batch: JsonBatch, sent: () => void) => void): (batch: SpanBatch) => void {
  let onTheWay = 0;
  return (batch) => {
    if (onTheWay >= mostOnTheWay) return;
    onTheWay += 1;
    send(batchToJson(batch), () => (onTheWay -= 1));
  };
}
