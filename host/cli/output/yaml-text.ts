import { escaped, hasControls } from '../../process/printable.ts';

const blankLine = /^[ \t]+$/m;

/**
 * Formats a value as YAML whose texts have no raw control characters. `yaml` escapes those below U+0020 only; the
 * others, which move the cursor of some terminals as well, it leaves in texts without quotation marks. It would lose
 * the spaces of a line that has nothing else.
 */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && (hasControls(node.value) || blankLine.test(node.value)))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ lineWidth: 0 }));
}
