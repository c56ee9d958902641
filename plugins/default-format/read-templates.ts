import {
  isObject,
  isError,
  type CanonicalTemplate,
  type Finding,
  type TemplateLayer,
  type TemplatesRead,
} from '../../core/index.ts';

/** Reads the native form: a list of templates, or `{templates: […]}`, in snake_case or camelCase. */
export function readTemplates(
  file: unknown,
  canonical: (raw: Record<string, unknown>) => CanonicalTemplate,
): TemplatesRead {
  const inObject = isObject(file) && Array.isArray(file['templates']);
  const list: unknown = inObject ? file['templates'] : file;
  if (!Array.isArray(list)) {
    return {
      layers: [],
      findings: [
        {
          level: 'error',
          path: '',
          message: 'must be a list of templates, or an object with such a list under `templates`',
        },
      ],
    };
  }
  const layers: TemplateLayer[] = [];
  const findings: Finding[] = [];
  const seen = new Map<string, number>();
  for (const [index, raw] of list.entries()) {
    const at = `${inObject ? '/templates' : ''}/${index}`;
    const report = (path: string, message: string) => findings.push({ level: 'error', path: `${at}${path}`, message });
    if (!isObject(raw)) {
      report('', 'must be an object with the fields of a template');
      continue;
    }
    const { fields, findings: found } = canonical(raw);
    findings.push(...found.map((finding) => ({ ...finding, path: `${at}${finding.path}` })));
    const template_id = fields['template_id'];
    if (typeof template_id !== 'string')
      report('/template_id', template_id === undefined ? 'is required' : 'must be a string');
    else if (seen.has(template_id))
      report(
        '/template_id',
        `'${template_id}' is in this file already, as number ${(seen.get(template_id) ?? 0) + 1}`,
      );
    else if (!found.some(isError)) {
      seen.set(template_id, index);
      layers.push({ template_id, fields });
    }
  }
  return { layers, findings };
}
