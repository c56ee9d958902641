import { checkFindings } from './answers.ts';
import { ContractViolation } from './contract-violation.ts';
import { assertPlain } from './assert-plain.ts';
import { assertObject } from './assertions.ts';

/**
 * Checks the result of a dialect for a template file. Invalid template ids are reported elsewhere, with their path.
 */
export function checkTemplatesRead(value: unknown): void {
  const given = assertObject(value, '', 'layers and findings');
  checkFindings(given['findings']);
  const { layers } = given;
  if (!Array.isArray(layers)) throw new ContractViolation('/layers', layers, 'a list of layers');
  for (const [index, each] of layers.entries()) {
    const layer = assertObject(each, `/layers/${index}`, 'a layer: template_id and fields');
    if (typeof layer['template_id'] !== 'string')
      throw new ContractViolation(`/layers/${index}/template_id`, layer['template_id'], 'a string');
    assertPlain(assertObject(layer['fields'], `/layers/${index}/fields`, 'fields'), `/layers/${index}/fields`);
  }
}
