import type { Template } from '../../../core/model/template.ts';

/** Where LSF's start script wants the variables of a request. */
const mark = '%EXPORT_USER_DATA%';

/** A template whose user data has the variables in the place of the mark, as commands of a shell; the same where it has none. */
export function exportUserData(template: Template, variables: Readonly<Record<string, unknown>>): Template {
  if (typeof template.user_data !== 'string') return template;
  const script = Buffer.from(template.user_data, 'base64').toString();
  if (!script.includes(mark)) return template;
  const commands = Object.entries(variables)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${textOf(value).replaceAll("'", "'\\''")}';`);
  return { ...template, user_data: Buffer.from(script.replaceAll(mark, () => commands.join(' '))).toString('base64') };
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
