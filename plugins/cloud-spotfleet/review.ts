import type { Finding } from '../../core/index.ts';
import { marketsOf, reviewFleet, standingTypes, type CloudTemplate } from '../cloud/index.ts';

/** What Spot Fleet cannot honour. */
export function review(given: object): Finding[] {
  const template = given as CloudTemplate;
  const findings = reviewFleet(template, standingTypes);
  if (!marketsOf(template).includes('spot'))
    findings.push({
      level: 'error',
      path: '/price_type',
      message: 'must be spot or mixed; SpotFleet starts on-demand machines beside Spot only',
    });
  return findings;
}
