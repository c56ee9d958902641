import { instanceTypes, regions } from '../catalogue.ts';
import { fits } from '../pattern.ts';
import type { Shape } from './shapes.ts';

/** An instance type, or a pattern that matches at least one. A rule with a misspelled type would have no effect. */
export const typePattern: Shape = (value, path) => {
  const found = typeof value === 'string' && value !== '' && instanceTypes.keys().some((name) => fits(value, name));
  return found ? [] : [`${path}: fits no instance type of the catalogue`];
};

/**
 * A zone, or a pattern such as `*a`. In a region of the catalogue the zone must exist; in other regions every zone is
 * accepted.
 */
export const zonePattern: Shape = (value, path) => {
  if (typeof value !== 'string' || !(value.includes('*') || /^[a-z0-9-]+[a-z]$/.test(value)))
    return [`${path}: expected a zone such as us-east-1a, or a pattern such as *a`];
  const zones = regions.get(value.slice(0, -1))?.zones.map((one) => one.zone) ?? [value];
  return value.includes('*') || zones.includes(value) ? [] : [`${path}: no zone; known: ${zones.join(', ')}`];
};
