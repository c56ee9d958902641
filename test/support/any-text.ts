import fc from 'fast-check';

/**
 * A text of any characters, those outside Unicode's first plane and halves of surrogates among them. The `binary` unit
 * of fast-check makes the same, and needs most of a second to begin.
 */
export const anyText = (maxLength = 20): fc.Arbitrary<string> =>
  fc.array(fc.nat(0x10_ffff), { maxLength }).map((codes) => String.fromCodePoint(...codes));
