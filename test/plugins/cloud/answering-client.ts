import { Readable } from 'node:stream';
import { EC2Client, type EC2ClientConfig } from '@aws-sdk/client-ec2';
import { readInPieces } from '../../../plugins/cloud/connection/answers/read-in-pieces.ts';

export const credentials = { accessKeyId: 'AKIATEST000000000000', secretAccessKey: 'a-secret-that-nobody-sees' };

/** A client whose answers arrive in parts of so many bytes, read in pieces. */
export function answering(
  answer: string | (() => string),
  bytesEach: number,
  reading: (client: EC2Client) => EC2Client = readInPieces,
): EC2Client {
  const requestHandler = {
    handle: async () => ({
      response: { statusCode: 200, headers: {}, body: Readable.from(partsOf(answer, bytesEach)) },
    }),
  } as unknown as NonNullable<EC2ClientConfig['requestHandler']>;
  return reading(new EC2Client({ region: 'us-east-1', credentials, maxAttempts: 1, requestHandler }));
}

function partsOf(answer: string | (() => string), bytesEach: number): Uint8Array[] {
  const bytes = Buffer.from(typeof answer === 'string' ? answer : answer());
  return Array.from({ length: Math.ceil(bytes.length / bytesEach) }, (_, index) =>
    bytes.subarray(index * bytesEach, (index + 1) * bytesEach),
  );
}

/** Counts the bytes that the SDK parses for a client from now on, also those of answers that it reads in pieces later. */
export function parsedBy(client: EC2Client): { bytes: number } {
  const sdk = client.config.protocol as {
    deserializeResponse(operation: unknown, context: unknown, response: { body: unknown }): Promise<unknown>;
  };
  const parse = sdk.deserializeResponse.bind(sdk);
  const parsed = { bytes: 0 };
  sdk.deserializeResponse = (operation, context, response) => {
    parsed.bytes += response.body instanceof Uint8Array ? response.body.length : 0;
    return parse(operation, context, response);
  };
  return parsed;
}
