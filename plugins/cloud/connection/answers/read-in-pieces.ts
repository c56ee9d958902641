import { setImmediate as turn } from 'node:timers/promises';
import type { EC2Client } from '@aws-sdk/client-ec2';
import pLimit from 'p-limit';
import { listings } from './listings.ts';
import { readListing, smallAnswerBytes } from './read-listing.ts';
import { RecentRows } from './recent-rows.ts';

/**
 * Parses one piece in each turn of the event loop, for all clients together: the answers to several calls arrive at
 * the same time.
 */
const parseLimit = pLimit(1);
const inTurn = <T>(read: () => T | Promise<T>): Promise<T> =>
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
  ): Promise<object>;
}

/**
 * Makes a client parse large answers one per turn of the event loop, and answers that list machines piece by piece,
 * without the rows that the last answers had already. Of each machine only the properties are returned that muster
 * uses. The SDK takes tens of milliseconds to parse a page of 1000 machines, and would block all other work; smaller
 * pages would need more calls, which the cloud counts. And it takes 0.15 ms of processor time for each machine, of
 * which nearly all are what they were a moment ago.
 */
export function readInPieces(client: EC2Client): EC2Client {
  const reader: Reader = client.config.protocol as Reader;
  const readWhole: Reader['deserializeResponse'] = reader.deserializeResponse.bind(reader);
  // A row of one list may have the same text as a row of another one.
  const recentOf = new Map([...listings.values()].map((listing) => [listing, new RecentRows()]));
  reader.deserializeResponse = async (operation, context, response) => {
    if (response.statusCode >= 300) return readWhole(operation, context, response);
    const parse = (body: Uint8Array) => readWhole(operation, context, { ...response, body });
    const listing = listings.get(operation.name);
    const recent = listing && recentOf.get(listing);
    if (recent) return readListing(listing, response.body as AsyncIterable<Uint8Array>, { recent, parse, inTurn });
    const bytes = await context.streamCollector(response.body);
    return bytes.length < smallAnswerBytes ? parse(bytes) : inTurn(() => parse(bytes));
  };
  return client;
}
