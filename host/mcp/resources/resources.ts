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

/** The URI templates of single entries, and of lists with filters. */
export const resourceTemplates = resourceKinds.flatMap(({ name, description, list, id, one }) => [
  { uriTemplate: `${scheme}${name}/{${id}}`, name: id.replace(/_(id|name)$/, ''), description: one, mimeType },
  {
    uriTemplate: `${scheme}${name}{?${Object.keys(list.input.properties as object).join(',')}}`,
    name: `${name} by filter`,
    description,
    mimeType,
  },
]);

/** Returns the lists first, then single entries: templates, provider instances, requests that have not ended. */
export async function listResources(
  cursor: string | undefined,
  execute: ExecuteOperation,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const { found, next } = await asProtocolErrors(() => resourcePage(cursor, execute, signal), scheme);
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

/** The parts of an address of a resource; none of one that is no address. */
export function addressIn(uri: string): { readonly kind?: string; readonly id?: string } {
  const [, kind, id] = address.exec(uri) ?? [];
  return { ...(kind === undefined ? {} : { kind }), ...(id === undefined ? {} : { id: decoded(id) }) };
}

/** Returns the content of an address in muster's own format. */
export async function readResource(
  uri: string,
  execute: ExecuteOperation,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, name, id, query] = address.exec(uri) ?? [];
  const kind = resourceKinds.find((each) => each.name === name);
  if (!kind)
    throw notFound(
      uri,
      `There is no resource ${uri}; the lists are ${resourceKinds.map((each) => `${scheme}${each.name}`).join(', ')}.`,
    );
  const answer = await asProtocolErrors(
    () =>
      id === undefined
        ? execute(kind.list, filters(kind, new URLSearchParams(query)), signal)
        : execute(kind.get, { ...kind.preset, [kind.id]: decoded(id) }, signal),
    uri,
  );
  return { contents: [{ uri, mimeType, text: JSON.stringify(answer) }] };
}

/** Returns the inputs of the list from the query of an address. */
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

/** The error number that the protocol defines. */
const resourceNotFound = -32002;
const notFound = (uri: string, message: string) => protocolError(resourceNotFound, message, { uri });

/** Converts errors to errors of the protocol. */
export async function asProtocolErrors<T>(work: () => Promise<T>, uri: string): Promise<T> {
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
