/** What a form has in its fields, as `FormData` gives it. */
export interface Filled {
  get(name: string): unknown;
  getAll(name: string): readonly unknown[];
}

/** Fields of the form that are copied as they are. */
const texts = ['template_id', 'description', 'provider_name', 'provider_api', 'image_id', 'key_name', 'price_type'];
/** Fields of ids: chosen ones, and typed ones with commas or spaces between them. */
const lists = ['subnet_ids', 'security_group_ids'];

/** The template that a form describes. What is empty is left out, so that it gets its default. Pure. */
export function draftOf(form: Filled): Readonly<Record<string, unknown>> {
  const draft: Record<string, unknown> = {};
  for (const name of texts) {
    const value = textOf(form.get(name));
    if (value !== '') draft[name] = value;
  }
  for (const name of lists) {
    const ids = wordsOf(form.getAll(name));
    if (ids.length > 0) draft[name] = ids;
  }
  const types = wordsOf(form.getAll('machine_types'));
  if (types.length === 1) draft['machine_type'] = types[0];
  if (types.length > 1) draft['machine_types'] = Object.fromEntries(types.map((type) => [type, 1]));
  const limit = textOf(form.get('max_instances'));
  if (limit !== '') draft['max_instances'] = Number(limit);
  return draft;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const wordsOf = (values: readonly unknown[]): string[] => [
  ...new Set(values.flatMap((value) => textOf(value).split(/[\s,]+/)).filter(Boolean)),
];
