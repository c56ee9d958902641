import { betweenMarks } from '../markdown/between-marks.ts';
import { capabilitiesTable, cloudApis } from './cloud/apis.ts';
import { featuresTable } from './cloud/features.ts';
import { errorCodesPage } from './cloud/error-codes.ts';
import { iamPage } from './cloud/iam.ts';
import { policyFor } from './cloud/policy.ts';
import { madeFile, type Page } from './page.ts';

/** The tables and the IAM policy of the guide to AWS, and the references of error codes and permissions. */
export const cloudPage: Page = {
  name: 'cloud',
  make: async () => {
    const apis = await cloudApis();
    const parts = {
      apis: capabilitiesTable(apis),
      features: featuresTable(apis),
      policy: `\`\`\`json\n${JSON.stringify(policyFor(), null, 2)}\n\`\`\`\n`,
    };
    const all = Object.entries(parts);
    return [
      madeFile('docs/guides/aws.md', (written) =>
        all.reduce((made, [name, part]) => betweenMarks(made, name, part), written),
      ),
      madeFile('docs/reference/aws-errors.md', errorCodesPage),
      madeFile('docs/reference/aws-permissions.md', iamPage),
    ];
  },
};
