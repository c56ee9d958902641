import type { RequestRecord } from '../../model/request.ts';
import type { Template } from '../../model/template.ts';

/** The tag with the name of a machine, of a request with names. */
export const nameTag = 'muster:name';

/** The longest tag value that clouds accept. */
const longest = 256;

/**
 * The tags of an order besides those of the template: the `additional_data_tags` of the template, or of the defaults
 * of the instance, with values from the request's `additional_data`, overridden by the tags of the request. Pure.
 */
export function machineTags(
  { additional_data_tags = [] }: Template,
  { additional_data = {}, tags }: Pick<RequestRecord, 'additional_data' | 'tags'>,
): Record<string, string> {
  const taken = additional_data_tags.flatMap((key): [string, string][] => {
    const value = Object.hasOwn(additional_data, key) ? additional_data[key] : undefined;
    if (value === undefined || value === null) return [];
    return [[key, (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, longest)]];
  });
  return { ...Object.fromEntries(taken), ...tags };
}
