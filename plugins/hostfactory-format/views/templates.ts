import { Type } from 'typebox';
import { camelCase, type ListOf, type TemplateDetail, type View, type WrittenKey } from '../../../core/index.ts';
import { attributesOf } from '../templates/attributes.ts';
import type { Dialect } from '../dialect.ts';
import { fieldNames } from '../templates/field-names.ts';
import { priceTypeOf } from '../templates/price-type.ts';
import { tagText } from '../templates/tag-text.ts';

const AvailableTemplate = Type.Object(
  {
    templateId: Type.String(),
    maxNumber: Type.Integer({ description: '-1: unlimited.' }),
    availableNumber: Type.Optional(
      Type.Integer({ description: 'How many machines are available now, if a limit is known.' }),
    ),
    attributes: Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
  },
  { additionalProperties: true },
);

/**
 * The answer of getAvailableTemplates: the fields of HostFactory, the other fields in its spelling, and every key of
 * the template file unchanged.
 */
export const templatesView = (dialect: Dialect): View<ListOf<TemplateDetail>> => ({
  schema: Type.Object({ message: Type.String(), templates: Type.Array(AvailableTemplate) }),
  render: ({ items, total_count }) => ({
    message: total_count === 0 ? 'There are no templates.' : 'Get available templates success.',
    templates: items.map((detail) => templateView(detail, dialect)),
  }),
});

function templateView(detail: TemplateDetail, dialect: Dialect) {
  const { template, available, as_written = [] } = detail;
  const { template_id, max_instances, attributes: _, tags, price_type: __, subnet_ids, ...rest } = template;
  const priceType = priceTypeOf(template);
  const own = {
    templateId: template_id,
    maxNumber: max_instances ?? -1,
    ...(available === undefined ? {} : { availableNumber: available }),
    attributes: attributesOf(detail, dialect),
  };
  const read: Readonly<Record<string, unknown>> = {
    ...(priceType === undefined ? {} : { priceType }),
    ...(tags ? { instanceTags: tagText(tags) } : {}),
    ...(subnet_ids ? { subnetId: subnet_ids.join(',') } : {}),
    ...Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [fieldNames.get(name) ?? camelCase(name), value]),
    ),
  };
  return { ...own, ...read, ...echo(as_written, read), ...own };
}

/** The keys of the file. A key without an effect is omitted when another file sets it. */
const echo = (
  as_written: readonly WrittenKey[],
  read: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    as_written.flatMap(({ key, value, fields }) => (fields.length === 0 && key in read ? [] : [[key, value]])),
  );
