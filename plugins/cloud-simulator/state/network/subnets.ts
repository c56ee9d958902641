/** A subnet with the addresses that its machines hold. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly vpcId: string;
  readonly cidr: string;
  /** Whether the account lists it; false for a subnet that a caller named. */
  readonly listed: boolean;
  /** Whether it is the default subnet of its zone. */
  readonly isDefault: boolean;
  /** The tag `Name`. */
  readonly name?: string | undefined;
  /** Addresses that a machine may still get. */
  free(): number;
  /** Addresses that machines hold. */
  taken(): number;
  /**
   * Takes an address, `wanted` if it is free, and returns its offset in the block. The caller ensures that an address
   * is free.
   */
  take(wanted?: number): number;
  holds(offset: number): boolean;
  give(offset: number): void;
  /** Dotted form of an offset. */
  address(offset: number): string;
  /** Offset of a dotted address, `undefined` when no machine of the subnet can have it. */
  offset(address: string): number | undefined;
}

// AWS reserves the first four addresses and the last address of every subnet.
const reservedHead = 4;
const reservedTail = 1;

/** A subnet over a block such as `10.1.0.0/16`. */
export function createSubnet(is: {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly vpcId: string;
  readonly cidr: string;
  readonly listed: boolean;
  readonly isDefault: boolean;
  readonly name?: string | undefined;
}): Subnet {
  const [base, bits] = readCidr(is.cidr);
  const size = 2 ** (32 - bits);
  const usable = size - reservedHead - reservedTail;
  const taken = new Set<number>();
  let next = 0;
  return {
    ...is,
    free: () => usable - taken.size,
    taken: () => taken.size,
    holds: (offset) => taken.has(offset),
    take(wanted) {
      if (wanted !== undefined && !taken.has(wanted)) {
        taken.add(wanted);
        return wanted;
      }
      // Continues after the last address instead of taking the lowest free one, so that a freed address is not reused
      // soon.
      while (taken.has(next)) next = (next + 1) % usable;
      const offset = next;
      taken.add(offset);
      next = (next + 1) % usable;
      return offset;
    },
    give: (offset) => void taken.delete(offset),
    offset(address) {
      if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return undefined;
      const offset = readCidr(`${address}/32`)[0] - base - reservedHead;
      return offset >= 0 && offset < usable ? offset : undefined;
    },
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
