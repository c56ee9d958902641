import { setImmediate as turn } from 'node:timers/promises';
import type { EC2Client } from '@aws-sdk/client-ec2';
import pLimit from 'p-limit';
import { instancePieces } from './instance-pieces.ts';
import { statusPieces } from './status-pieces.ts';

/**
 * How to split the answers of operations that list many machines, with `max` machines in each piece: parsing so many
 * takes some milliseconds. `list`: the field that contains the machines.
 */
const splits: Readonly<
  Record<string, { cut(answer: string, max: number): Iterable<string>; readonly max: number; readonly list: string }>
> = {
  DescribeInstances: { cut: instancePieces, max: 25, list: 'Reservations' },
  DescribeInstanceStatus: { cut: statusPieces, max: 100, list: 'InstanceStatuses' },
};
/** Parsing a smaller answer takes about a millisecond. */
const smallAnswerBytes = 16_000;

/**
 * Parses one piece in each turn of the event loop, for all clients together: the answers to several calls arrive at
 * the same time.
 */
const parseLimit = pLimit(1);
const parseInTurn = <T>(read: () => T | Promise<T>): Promise<T> =>
  parseLimit(async () => {
    await turn();
    return read();
  });

/** The protocol of the SDK client, as far as this file uses it. */
interface Reader {
  deserializeResponse(
    operation: { readonly name: string },
    context: { streamCollector(stream: unknown): Promise<Uint8Array> },
    response: { readonly statusCode: number; readonly body: unknown },
  ): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Makes a client parse large answers one per turn of the event loop, and answers that list machines piece by piece.
 * The SDK takes tens of milliseconds to parse a page of 1000 machines, and would block all other work. Smaller pages
 * would need more calls, which the cloud counts.
 */
export function readInPieces(client: EC2Client): EC2Client {
  const reader: Reader = client.config.protocol as Reader;
  const readWhole: Reader['deserializeResponse'] = reader.deserializeResponse.bind(reader);
  reader.deserializeResponse = async (operation, context, response) => {
    if (response.statusCode >= 300) return readWhole(operation, context, response);
    const bytes = await context.streamCollector(response.body);
    const readInTurn = (body: Uint8Array) => parseInTurn(() => readWhole(operation, context, { ...response, body }));
    if (bytes.length < smallAnswerBytes) return readWhole(operation, context, { ...response, body: bytes });
    const split = splits[operation.name];
    if (!split) return readInTurn(bytes);
    const listed: unknown[] = [];
    let whole: Readonly<Record<string, unknown>> = {};
    const text = await parseInTurn(() => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    for (const piece of split.cut(text, split.max)) {
      const read = await readInTurn(Buffer.from(piece));
      listed.push(...((read[split.list] as readonly unknown[] | undefined) ?? []));
      whole = { ...whole, ...read, [split.list]: listed };
    }
    return whole;
  };
  return client;
}
