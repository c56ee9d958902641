/** The polynomial of CRC-32 in GZIP, lowest bit first. */
const polynomial = 0xedb88320;
const one = 0x80000000;

/** The product of two polynomials modulo the one of the checksum, the highest bit being the lowest power. */
function product(a: number, b: number): number {
  let sum = 0;
  let power = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= power;
    power = (power & 1) === 0 ? power >>> 1 : (power >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}

/** The powers of x with the exponents 1, 2, 4, 8 and so on; beyond 32 of them they repeat. */
const powers: number[] = [one >>> 1];
for (let i = 1; i < 32; i += 1) powers.push(product(powers[i - 1] as number, powers[i - 1] as number));

/** What so many bytes do to the checksum of those before them, whatever their values are. */
export function shiftOf(bytes: number): number {
  let power = one;
  for (let left = bytes, i = 3; left > 0; left = Math.floor(left / 2), i += 1)
    if (left % 2 === 1) power = product(powers[i % 32] as number, power);
  return power;
}

/** The CRC-32 of two texts together, by those of each and the shift by the second one. */
export const joined = (first: number, second: number, shift: number): number => (product(shift, first) ^ second) >>> 0;
