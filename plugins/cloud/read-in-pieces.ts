import { setImmediate as turn } from 'node:timers/promises';
import type { DescribeInstancesCommandOutput, EC2Client, Reservation } from '@aws-sdk/client-ec2';
import pLimit from 'p-limit';
import { instancePieces } from './instance-pieces.ts';

/** Reading so many machines takes some milliseconds. */
const machinesAtOnce = 25;
/** An answer that is shorter is read in a millisecond. */
const shortBytes = 16_000;

/** One piece in a turn of the event loop, whoever asked: answers to several questions come together. */
const oneATurn = pLimit(1);
const inATurn = <T>(read: () => T | Promise<T>): Promise<T> =>
  oneATurn(async () => {
    await turn();
    return read();
  });

/** How the SDK reads an answer: of what it says of that, only this is needed. */
interface Reader {
  deserializeResponse(
    operation: { readonly name: string },
    context: { streamCollector(stream: unknown): Promise<Uint8Array> },
    response: { readonly statusCode: number; readonly body: unknown },
  ): Promise<Partial<DescribeInstancesCommandOutput>>;
}

/**
 * Has a client read large answers one in a turn of the event loop, and those of DescribeInstances piece by piece: the SDK takes tens of milliseconds to
 * read a page of 1000 machines, and would keep everybody else waiting. Smaller pages would cost more calls, which the cloud counts.
 */
export function readInPieces(client: EC2Client): EC2Client {
  const reader: Reader = client.config.protocol as Reader;
  const readWhole: Reader['deserializeResponse'] = reader.deserializeResponse.bind(reader);
  reader.deserializeResponse = async (operation, context, response) => {
    if (response.statusCode >= 300) return readWhole(operation, context, response);
    const bytes = await context.streamCollector(response.body);
    const readInTurn = (body: Uint8Array) => inATurn(() => readWhole(operation, context, { ...response, body }));
    if (bytes.length < shortBytes) return readWhole(operation, context, { ...response, body: bytes });
    if (operation.name !== 'DescribeInstances') return readInTurn(bytes);
    const reservations: Reservation[] = [];
    let whole: Partial<DescribeInstancesCommandOutput> = {};
    const text = await inATurn(() => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    for (const piece of instancePieces(text, machinesAtOnce)) {
      const read = await readInTurn(Buffer.from(piece));
      reservations.push(...(read.Reservations ?? []));
      whole = { ...whole, ...read, Reservations: reservations };
    }
    return whole;
  };
  return client;
}
