/** A subnet with the addresses that its machines hold. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly vpcId: string;
  readonly cidr: string;
  /** Of the catalogue, and not made up because somebody named it. */
  readonly listed: boolean;
  /** Addresses that a machine may still get. */
  free(): number;
  /** Takes an address and returns its offset in the block; the caller has seen that one is free. */
  take(): number;
  give(offset: number): void;
  /** Dotted form of an offset. */
  address(offset: number): string;
}

// The first four addresses and the last one of every subnet are AWS's own.
const reservedHead = 4;
const reservedTail = 1;

/** A subnet over a block such as `10.1.0.0/16`. */
export function createSubnet(is: {
  readonly id: string;
  readonly zone: string;
  readonly vpcId: string;
  readonly cidr: string;
  readonly listed: boolean;
}): Subnet {
  const [base, bits] = readCidr(is.cidr);
  const size = 2 ** (32 - bits);
  const usable = size - reservedHead - reservedTail;
  const taken = new Set<number>();
  let next = 0;
  return {
    ...is,
    free: () => usable - taken.size,
    take() {
      // Walks on instead of handing out the lowest free one, so that an address is not reused while somebody may still remember it.
      while (taken.has(next)) next = (next + 1) % usable;
      const offset = next;
      taken.add(offset);
      next = (next + 1) % usable;
      return offset;
    },
    give: (offset) => void taken.delete(offset),
    address(offset) {
      const value = base + reservedHead + offset;
      return `${(value >>> 24) & 255}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
    },
  };
}

function readCidr(cidr: string): [base: number, bits: number] {
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = cidr.split(/[./]/).map(Number);
  return [((a << 24) | (b << 16) | (c << 8) | d) >>> 0, bits];
}
