import type { RequestRecord } from '../../model/request.ts';
import type { Template } from '../../model/template.ts';

/** The longest text that a cloud takes as the value of a tag. */
const longest = 256;

/**
 * What an order tags its machines with beyond the template's own tags: what the template, or the defaults of the instance, take out of the
 * request's `additional_data`, and over it the tags of the request. Pure.
 */
export function machineTags(
  { additional_data_tags = [] }: Template,
  { additional_data = {}, tags }: RequestRecord,
): Record<string, string> {
  const taken = additional_data_tags.flatMap((key): [string, string][] => {
    const value = Object.hasOwn(additional_data, key) ? additional_data[key] : undefined;
    if (value === undefined || value === null) return [];
    return [[key, (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, longest)]];
  });
  return { ...Object.fromEntries(taken), ...tags };
}
