import { isObject } from '../knobs/shapes.ts';
import type { Form, Params } from './form.ts';
import { serviceQuotasVersion, sqsVersion, ssmVersion } from './protocols.ts';

const targets: Readonly<Record<string, string>> = {
  AmazonSSM: ssmVersion,
  AmazonSQS: sqsVersion,
  ServiceQuotasV20190624: serviceQuotasVersion,
};

/**
 * Reads a call of a JSON 1.0 or 1.1 service into the form of the other services: `X-Amz-Target: AmazonSSM.GetParameter`
 * names service and action, and the body holds the parameters. Undefined for other calls. A body that is not an
 * object has no parameters.
 */
export function readJsonCall(target: string | string[] | undefined, body: string): Form | undefined {
  const [, service = '', action = ''] = /^(\w+)\.(\w+)$/.exec(String(target ?? '')) ?? [];
  const version = targets[service];
  if (version === undefined) return undefined;
  const flat: Record<string, string> = Object.create(null);
  const params: Params = Object.create(null);
  for (const [name, value] of [
    ...Object.entries(membersOf(body)),
    ['Action', action],
    ['Version', version],
  ] as const) {
    flat[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
    params[name] = treeOf(value);
  }
  return { flat, params };
}

/** A value of the body as the other services send it: lists are numbered from 1. */
function treeOf(value: unknown): string | Params {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Array.isArray(value) ? value.map((one, index) => [index + 1, one] as const) : Object.entries(value);
  return Object.assign(
    Object.create(null) as Params,
    Object.fromEntries(entries.map(([name, one]) => [name, treeOf(one)])),
  );
}

function membersOf(body: string): object {
  try {
    const read: unknown = JSON.parse(body);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}
