import { answers, type ListOf, type TemplateDetail, type View } from '../../core/index.ts';
import { iso } from './iso.ts';

/** A page of templates. `total` and `filters` stand there when a filter was given. */
export const templates: View<ListOf<TemplateDetail>> = {
  schema: answers.templates,
  render: ({ items, total_count, next_offset, filters, at }) => ({
    templates: items.map(({ template }) => template),
    total_count,
    count: items.length,
    message: sentence(items.length, total_count),
    success: true,
    timestamp: iso(at),
    ...(next_offset === undefined ? {} : { next_offset }),
    ...(filters ? { total: total_count, filters } : {}),
  }),
};

function sentence(count: number, total: number): string {
  if (total === 0) return 'There are no templates.';
  const what = total === 1 ? 'template' : 'templates';
  return count === total ? `${total} ${what}.` : `${count} of ${total} ${what}.`;
}
