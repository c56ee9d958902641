import { isObject } from '../../core/schema/is-object.ts';

/** The JSON pointer of the template of an id in what a template file holds, whatever the dialect calls its lists and ids; empty where there is none. */
export function entryPointer(file: unknown, template_id: string): string {
  const lists: readonly (readonly [string, unknown])[] = isObject(file)
    ? ['templates', 'Templates'].map((name) => [`/${name}`, file[name]])
    : [['', file]];
  for (const [pointer, list] of lists) {
    const index = Array.isArray(list) ? list.findIndex((entry) => isObject(entry) && ids.some((id) => entry[id] === template_id)) : -1;
    if (index >= 0) return `${pointer}/${index}`;
  }
  return '';
}

const ids = ['template_id', 'templateId', 'id'];
