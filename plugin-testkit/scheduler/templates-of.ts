import assert from 'node:assert/strict';
import { isError } from '../../core/index.ts';
import type { Checks } from '../runner.ts';
import { places, withoutPart, withPart, type Place } from './places.ts';
import type { Reader } from './reader.ts';
import type { ReadFile } from './subject.ts';

const unknownKey = 'a_key_that_nobody_knows';

/** Checks the effect of a changed template in the sample files. */
export function checkTemplatesOf(
  { check, todo }: Checks,
  files: readonly ReadFile[],
  read: Reader | undefined,
  noSamples: string,
): void {
  // The places of the templates in a sample are found by removing objects: without its object the id of a template is
  // missing.
  const inLists = read && files.flatMap((file) => placesOf(file, read)).slice(0, 20);
  if (inLists === undefined || inLists.length === 0) {
    const lacks = inLists ? '`files` with a list of templates' : noSamples;
    todo('an unknown key is kept as it is written', lacks);
    todo('a wrong template is omitted and reported with its path, and the others are read', lacks);
    return;
  }
  check('an unknown key is kept as it is written', async () => {
    for (const { file, id, place, readIn } of inLists) {
      const given = { deep: [1, null, 'Two'] };
      const { layers } = readIn(withPart(file.content, place.path, { ...place.value, [unknownKey]: given }));
      const found = layers.find(({ template_id }) => template_id === id);
      assert.deepEqual(found?.fields[unknownKey], given, `${file.name}, template '${id}'`);
    }
  });

  check('a wrong template is omitted and reported with its path, and the others are read', async () => {
    for (const { file, id, place, readIn } of inLists) {
      const at = `/${place.path.join('/')}`;
      const before = readIn(file.content).layers.filter(({ template_id }) => template_id !== id);
      for (const wrong of [7, null, 'a template']) {
        const { layers, findings } = readIn(withPart(file.content, place.path, wrong));
        assert.deepEqual(layers, before, `${file.name}: with ${JSON.stringify(wrong)} for template '${id}'`);
        assert.ok(
          findings.some((finding) => isError(finding) && (finding.path === at || finding.path.startsWith(`${at}/`))),
          `${file.name}: no error at ${at}, where ${JSON.stringify(wrong)} replaces a template.`,
        );
      }
    }
  });
}

interface Found {
  readonly file: ReadFile;
  readonly id: string;
  readonly place: Place;
  readonly readIn: Reader;
}

/** The places of the templates of a file: the objects in lists whose removal removes one id. */
function placesOf(file: ReadFile, readIn: Reader): readonly Found[] {
  const idsOf = (content: unknown): readonly string[] => readIn(content).layers.map(({ template_id }) => template_id);
  try {
    const whole = idsOf(file.content);
    return places(file.content).flatMap((place) => {
      const without = new Set(idsOf(withoutPart(file.content, place.path)));
      const missing = whole.filter((id) => !without.has(id));
      const [id] = missing;
      return id !== undefined && missing.length === 1 ? [{ file, id, place, readIn }] : [];
    });
  } catch {
    // A reader that throws fails the checks that read the file as it is.
    return [];
  }
}
