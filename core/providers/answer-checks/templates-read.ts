import { checkFindings } from './answers.ts';
import { Broken } from './broken.ts';
import { plain } from './plain.ts';
import { object } from './values.ts';

/**
 * Checks the result of a dialect for a template file. Invalid template ids are reported elsewhere, with their path.
 */
export function templatesRead(value: unknown): void {
  const given = object(value, '', 'layers and findings');
  checkFindings(given['findings']);
  const { layers } = given;
  if (!Array.isArray(layers)) throw new Broken('/layers', layers, 'a list of layers');
  for (const [index, each] of layers.entries()) {
    const layer = object(each, `/layers/${index}`, 'a layer: template_id and fields');
    if (typeof layer['template_id'] !== 'string')
      throw new Broken(`/layers/${index}/template_id`, layer['template_id'], 'a string');
    plain(object(layer['fields'], `/layers/${index}/fields`, 'fields'), `/layers/${index}/fields`);
  }
}
