import { setImmediate as turn } from 'node:timers/promises';
import type { EC2Client } from '@aws-sdk/client-ec2';
import pLimit from 'p-limit';
import { instancePieces } from './instance-pieces.ts';
import { statusPieces } from './status-pieces.ts';

/**
 * How the answers of operations that list many machines are cut, of so many each: reading those takes some
 * milliseconds. `list`: where the machines are.
 */
const cuts: Readonly<
  Record<string, { cut(answer: string, most: number): Iterable<string>; readonly most: number; readonly list: string }>
> = {
  DescribeInstances: { cut: instancePieces, most: 25, list: 'Reservations' },
  DescribeInstanceStatus: { cut: statusPieces, most: 100, list: 'InstanceStatuses' },
};
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
  ): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Has a client read large answers one in a turn of the event loop, and those that list machines piece by piece: the
 * SDK takes tens of milliseconds to read a page of 1000 machines, and would keep everybody else waiting. Smaller pages
 * would cost more calls, which the cloud counts. /
 */
export function readInPieces(client: EC2Client): EC2Client {
  const reader: Reader = client.config.protocol as Reader;
  const readWhole: Reader['deserializeResponse'] = reader.deserializeResponse.bind(reader);
  reader.deserializeResponse = async (operation, context, response) => {
    if (response.statusCode >= 300) return readWhole(operation, context, response);
    const bytes = await context.streamCollector(response.body);
    const readInTurn = (body: Uint8Array) => inATurn(() => readWhole(operation, context, { ...response, body }));
    if (bytes.length < shortBytes) return readWhole(operation, context, { ...response, body: bytes });
    const how = cuts[operation.name];
    if (!how) return readInTurn(bytes);
    const listed: unknown[] = [];
    let whole: Readonly<Record<string, unknown>> = {};
    const text = await inATurn(() => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    for (const piece of how.cut(text, how.most)) {
      const read = await readInTurn(Buffer.from(piece));
      listed.push(...((read[how.list] as readonly unknown[] | undefined) ?? []));
      whole = { ...whole, ...read, [how.list]: listed };
    }
    return whole;
  };
  return client;
}
