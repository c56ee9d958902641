import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { betweenMarks } from './between-marks.ts';
import { capabilitiesTable, cloudApis } from './cloud-page/apis.ts';
import { featuresTable } from './cloud-page/features.ts';
import { actions, policyFor } from './cloud-page/policy.ts';

export { actions } from './cloud-page/policy.ts';

const page = join(import.meta.dirname, '../docs/guides/cloud.md');

/** The page "Amazon's cloud" as it is written, and as it would be with its tables and its policy made anew from the code. */
export async function cloudPage(): Promise<{ readonly written: string; readonly made: string }> {
  const written = readFileSync(page, 'utf8');
  const apis = await cloudApis();
  const parts = {
    apis: capabilitiesTable(apis),
    features: featuresTable(apis),
    policy: `\`\`\`json\n${JSON.stringify(policyFor(actions()), null, 2)}\n\`\`\`\n`,
  };
  return { written, made: Object.entries(parts).reduce((made, [name, content]) => betweenMarks(made, name, content), written) };
}

if (import.meta.main) writeFileSync(page, (await cloudPage()).made);
