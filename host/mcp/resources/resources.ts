import {
  ErrorCode,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
} from '@modelcontextprotocol/sdk/types.js';
import { sentences } from '../../../core/contract/findings.ts';
import { compile } from '../../../core/schema/compile.ts';
import { asSdkError, NotFoundError } from '../../sdk/errors.ts';
import type { ExecuteOperation } from '../sessions/broker-access.ts';
import { resourceKinds, type ResourceKind } from './resource-kinds.ts';
import { resourcePage } from './resource-pages.ts';
import { isProtocolError, protocolError } from '../tools/protocol-error.ts';

const scheme = 'muster://';
const mimeType = 'application/json';

/** How the addresses of single things, and of lists with filters, are made. */
export const resourceTemplates = resourceKinds.flatMap(({ name, description, list, id, one }) => [
  { uriTemplate: `${scheme}${name}/{${id}}`, name: id.replace(/_(id|name)$/, ''), description: one, mimeType },
  {
    uriTemplate: `${scheme}${name}{?${Object.keys(list.input.properties as object).join(',')}}`,
    name: `${name} by filter`,
    description,
    mimeType,
  },
]);

/** The lists first, then what can be named: templates, provider instances, requests that have not ended. */
export async function listResources(
  cursor: string | undefined,
  carry: ExecuteOperation,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const { found, next } = await told(() => resourcePage(cursor, carry, signal), scheme);
  const lists =
    cursor === undefined ? resourceKinds.map((kind) => ({ kind, id: undefined, description: kind.description })) : [];
  const resources = [...lists, ...found].map(
    ({ kind, id, description }): Resource => ({
      uri: `${scheme}${kind.name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
      name: id ?? kind.name,
      description,
      mimeType,
    }),
  );
  return next === undefined ? { resources } : { resources, nextCursor: next };
}

const address = /^muster:\/\/(\w+)(?:\/([^/?#]+))?\/?(?:\?([^#]*))?$/;

/** What stands at an address, in our own words. */
export async function readResource(
  uri: string,
  carry: ExecuteOperation,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, name, id, query] = address.exec(uri) ?? [];
  const kind = resourceKinds.find((each) => each.name === name);
  if (!kind)
    throw notFound(
      uri,
      `Nothing is at ${uri}; there are ${resourceKinds.map((each) => `${scheme}${each.name}`).join(', ')}.`,
    );
  const answer = await told(
    () =>
      id === undefined
        ? carry(kind.list, filters(kind, new URLSearchParams(query)), signal)
        : carry(kind.get, { ...kind.preset, [kind.id]: decoded(id) }, signal),
    uri,
  );
  return { contents: [{ uri, mimeType, text: JSON.stringify(answer) }] };
}

/** The inputs of the list, which an address carries as text. */
function filters({ list }: ResourceKind, query: URLSearchParams): unknown {
  const { value, findings } = compile(list.input).parse(Object.fromEntries(query), { convert: true });
  if (findings) throw protocolError(ErrorCode.InvalidParams, sentences(findings));
  return value;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The protocol's own number for it. */
const resourceNotFound = -32002;
const notFound = (uri: string, message: string) => protocolError(resourceNotFound, message, { uri });

/** Failures as the protocol has them. */
async function told<T>(work: () => Promise<T>, uri: string): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    if (isProtocolError(reason)) throw reason;
    const error = asSdkError(reason);
    if (error instanceof NotFoundError) throw notFound(uri, error.message);
    const number = error.code === 'INVALID_REQUEST' ? ErrorCode.InvalidParams : ErrorCode.InternalError;
    throw protocolError(number, error.message, { uri, code: error.code });
  }
}
