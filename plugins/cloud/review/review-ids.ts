import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { isParameter } from '../template/image-parameter.ts';

/** The valid names and versions of launch templates. */
const templateForm = /^[A-Za-z0-9\-_./()]{3,128}$/;
const versionForm = /^([1-9]\d*|\$Latest|\$Default)$/;

/** Reports ids of the wrong form and repeated ids. Mostly warnings, because AWS decides what exists. */
export function reviewIds(template: CloudTemplate): Finding[] {
  const { image_id, subnet_ids = [], security_group_ids = [], launch_template_id, launch_template_version } = template;
  const findings: Finding[] = [];
  const report = (level: Finding['level'], path: string, message: string) => findings.push({ level, path, message });

  if (image_id !== undefined && !isParameter(image_id) && !image_id.startsWith('ami-'))
    report('warning', '/image_id', 'does not look like an image: `ami-…`, `resolve:ssm:PARAMETER` or `/parameter`');
  if (image_id === 'resolve:ssm:' || image_id === '/') report('error', '/image_id', 'names no parameter');
  for (const [field, ids, prefix] of [
    ['subnet_ids', subnet_ids, 'subnet-'],
    ['security_group_ids', security_group_ids, 'sg-'],
  ] as const) {
    const seen = new Set<string>();
    for (const [index, id] of ids.entries()) {
      if (!id.startsWith(prefix)) report('warning', `/${field}/${index}`, `does not look like \`${prefix}…\``);
      if (seen.has(id)) report('warning', `/${field}/${index}`, `'${id}' is repeated`);
      seen.add(id);
    }
  }
  if (launch_template_id !== undefined && !templateForm.test(launch_template_id))
    report(
      'error',
      '/launch_template_id',
      'must be the id of a launch template, or its name: 3 to 128 letters, digits and -_./()',
    );
  if (launch_template_version !== undefined && !versionForm.test(String(launch_template_version)))
    report('error', '/launch_template_version', 'must be a number, `$Latest` or `$Default`');
  return findings;
}
